// The program of the child process: one document on stdin, one answer on stdout, and no other way out.

import { closeTheNetwork } from './close-the-network.ts';
import { readQuestion } from './convert/conversion.ts';
import { convertDocument } from './convert/convert-document.ts';

closeTheNetwork();
const chunks: Buffer[] = [];
for await (const chunk of process.stdin as AsyncIterable<Buffer>) chunks.push(chunk);
const { request, bytes } = readQuestion(Buffer.concat(chunks));
const answer = JSON.stringify(await convertDocument(bytes, request));
// Whatever a parser left running does not matter any more.
process.stdout.write(answer, () => process.exit(0));
