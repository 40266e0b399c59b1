import { SaxesParser } from 'saxes';
import { DocumentProblem } from './conversion.ts';

const deepest = 256;
const chunkBytes = 64 * 1024;

/** A start tag, by names without their namespace prefixes. */
export interface XmlTag {
  name: string;
  /** Attributes by local name; of two that differ only in the namespace the prefixed one wins. */
  attributes: ReadonlyMap<string, string>;
}

export interface XmlVisitor {
  /** False: nothing inside of this element is wanted. */
  open?: (tag: XmlTag) => boolean | undefined;
  close?: (name: string) => void;
  text?: (text: string) => void;
  /** True ends the reading early. */
  isDone?: () => boolean;
}

/**
 * Reads XML as a stream of events, without recursion. Any DOCTYPE is refused, so there are no entities beside the five of
 * XML itself, and nothing is ever fetched.
 */
export function readXml(bytes: Buffer, { open, close, text, isDone = () => false }: XmlVisitor): void {
  const parser = new SaxesParser({ xmlns: true, fragment: false });
  let depth = 0;
  let skipsFrom = Number.POSITIVE_INFINITY;
  const isSkipping = (): boolean => depth >= skipsFrom;
  parser.on('doctype', () => {
    throw new DocumentProblem('unreadable', 'the document has a DOCTYPE, which is refused');
  });
  parser.on('error', (error) => {
    throw new DocumentProblem('unreadable', `the document is not well-formed XML: ${error.message.slice(0, 150)}`);
  });
  parser.on('opentag', (tag) => {
    depth += 1;
    if (depth > deepest) throw new DocumentProblem('unreadable', 'the document is nested too deeply');
    if (isSkipping()) return;
    if (open?.({ name: tag.local, attributes: attributesOf(tag.attributes) }) === false) skipsFrom = depth;
  });
  parser.on('closetag', (tag) => {
    if (!isSkipping()) close?.(tag.local);
    else if (depth === skipsFrom) skipsFrom = Number.POSITIVE_INFINITY;
    depth -= 1;
  });
  const onText = (content: string): void => {
    if (!isSkipping()) text?.(content);
  };
  parser.on('text', onText);
  parser.on('cdata', onText);
  feed(parser, bytes, isDone);
}

/** Piece by piece, so that the text is never in memory as a whole beside its bytes. */
function feed(parser: SaxesParser<{ xmlns: true }>, bytes: Buffer, isDone: () => boolean): void {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    parser.write(decode(decoder, bytes.subarray(at, at + chunkBytes)));
    if (isDone()) return;
  }
  parser.close();
}

function decode(decoder: TextDecoder, bytes: Buffer): string {
  try {
    return decoder.decode(bytes, { stream: true });
  } catch {
    throw new DocumentProblem('unreadable', 'the document has XML that is not UTF-8');
  }
}

function attributesOf(attributes: Readonly<Record<string, { local: string; prefix: string; value: string }>>) {
  const inOrder = Object.values(attributes).sort((a, b) => a.prefix.length - b.prefix.length);
  return new Map(inOrder.map(({ local, value }) => [local, value]));
}
