import type { ProcessedFileInput } from '@proofmark/contracts/processed-file';
import type { CaseState } from '../case/case-state.ts';
import { fileName } from '../files/file-name.ts';
import { freshMarker } from '../judge/data-blocks.ts';
import type { UserMessage } from './agent-seat.ts';

/** The first message to an agent, with the files of its case. */
export function withFiles(
  message: UserMessage & { said: string },
  { files, images }: Pick<CaseState, 'files' | 'images'>,
  random: () => number,
): UserMessage {
  const { said } = message;
  return { ...message, sent: attachFiles(said, files, random), attachments: { said, files, images } };
}

/**
 * The message with one block per file behind it: number, name, type and description, and the text between markers that
 * are fresh and occur in none of the texts, so that no file can end its own block. Without files it stays as it is.
 */
function attachFiles(message: string, files: readonly ProcessedFileInput[], random: () => number): string {
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
