import type { ConversionRequest } from './convert/conversion.ts';

/** What goes to the child: the length of the header, the header as JSON, the document. */
export function writeQuestion(request: ConversionRequest, bytes: Buffer): Buffer {
  const header = Buffer.from(JSON.stringify(request));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  return Buffer.concat([length, header, bytes]);
}

/** The same in the child, which trusts its parent. */
export function readQuestion(question: Buffer): { request: ConversionRequest; bytes: Buffer } {
  const end = 4 + question.readUInt32LE(0);
  const request: ConversionRequest = JSON.parse(question.toString('utf8', 4, end));
  return { request, bytes: question.subarray(end) };
}
