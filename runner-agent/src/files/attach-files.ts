import type { ProcessedFileInput } from '@proofmark/contracts/processed-file';
import { freshMarker } from '../checks/fresh-marker.ts';
import { fileName } from './file-name.ts';

/**
 * The message with one block per file behind it: number, name, type and description, and the text between markers that
 * are fresh and occur in none of the texts, so that no file can end its own block. Without files it stays as it is.
 */
export function attachFiles(message: string, files: readonly ProcessedFileInput[], random: () => number): string {
  if (files.length === 0) return message;
  const marker = freshMarker(
    files.map((file) => file.markdown_content),
    random,
  );
  const blocks = files.map(
    (file, index) => `${heading(file, index + 1)}\n<file ${marker}>\n${file.markdown_content}\n</file ${marker}>`,
  );
  return [message, ...blocks].join('\n\n');
}

function heading({ original }: ProcessedFileInput, number: number): string {
  const description = original.description === undefined ? '' : `: ${oneLine(original.description)}`;
  return `File ${number}: ${oneLine(fileName(original))} (${original.type})${description}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}
