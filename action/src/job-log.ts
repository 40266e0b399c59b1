import { randomBytes } from 'node:crypto';
import { withoutOldCommands } from '@proofmark/domain/log-commands';
import { redactText } from '@proofmark/domain/redact-text';
import { cutText, visibleText } from '@proofmark/domain/visible-text';

const maxUnits = 2000;
const maxLines = 200;

/** Where the job's log goes: a line at a time. */
export type WriteLine = (line: string) => void;

/** One line that holds names out of the repository: nothing in it ends the line or starts a workflow command. */
export function foreignLine(text: string): string {
  return withoutOldCommands(cutText(visibleText(redactText(text)).replaceAll(/[\n\t]/g, ' '), maxUnits));
}

/**
 * Prints text that people or models wrote. Workflow commands are switched off around it by a word that nobody can
 * guess, and every line starts with a bar.
 */
export function printForeign(text: string, write: WriteLine, token = randomBytes(16).toString('hex')): void {
  const lines = visibleText(redactText(text)).split('\n');
  write(`::stop-commands::${token}`);
  for (const line of lines.slice(0, maxLines)) write(`│ ${cutText(line, maxUnits)}`);
  if (lines.length > maxLines) write(`│ … ${lines.length - maxLines} more lines`);
  write(`::${token}::`);
}
