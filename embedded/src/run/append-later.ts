import { openResultLog, type ResultLog } from './result-log.ts';

/** Lines for which nobody waits. Closing waits for the last one, and is told when one could not be written. */
export interface LateLines extends AsyncDisposable {
  append: (line: string) => void;
}

/** Without any line the file is not made. */
export function appendLater(path: string): LateLines {
  let log: Promise<ResultLog> | undefined;
  const writing: Promise<unknown>[] = [];
  return {
    append: (line) => {
      log ??= openResultLog(path);
      const written = log.then((open) => open.append(line));
      // Who closes is told of a failure; until then it must not end the process.
      written.catch(() => undefined);
      writing.push(written);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(writing);
      await (await log)?.[Symbol.asyncDispose]();
    },
  };
}
