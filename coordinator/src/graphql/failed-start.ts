import type { StartRunError } from '../runs/start-run.ts';
import { asMember } from './result-union.ts';
import { notAllowed } from './user-errors.ts';

/** The member of the result that says why nothing was started. */
export function failedStart(error: StartRunError) {
  const { code } = error;
  switch (error.code) {
    case 'INVALID_DEFINITIONS':
      return asMember('InvalidDefinitions', {
        code,
        message: `The definitions have ${counted(error.problems.length)}.`,
        problems: error.problems,
      });
    case 'INVALID_INPUT': {
      const problems = error.problems.map(({ path, code: word, message, hint }) => ({
        path,
        code: word,
        message,
        hint,
      }));
      return asMember('InvalidInput', { code, message: problems.map(inWords).join('; '), problems });
    }
    case 'IDEMPOTENCY_CONFLICT':
      return asMember('IdempotencyConflict', {
        code,
        message: 'This idempotency key belongs to a run with other input.',
        runId: error.runId,
      });
    case 'RATE_LIMITED':
      return asMember('RateLimited', error);
    case 'MISSING_BLOBS': {
      const message = `${error.digests.length} of the files of the cases must be uploaded first.`;
      return asMember('MissingBlobs', { ...error, message });
    }
    case 'FORBIDDEN':
      return notAllowed(error.message);
  }
}

const inWords = ({ message, hint }: { message: string; hint: string | undefined }): string =>
  hint === undefined ? message : `${message}. ${hint}`;

function counted(problems: number): string {
  return problems === 1 ? 'one problem' : `${problems} problems`;
}
