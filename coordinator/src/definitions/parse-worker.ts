// A thread of its own for what a caller or a stranger wrote: when it costs too much, the thread is given up and nothing else.
import { serialize, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort } from 'node:worker_threads';
import { matchesPattern } from '@proofmark/contracts/path-pattern';
import { areAffected } from '@proofmark/domain/affected-suites';
import { parseCommitted, parseFiles } from './parse-files.ts';
import { type Answers, isLarge, isReused, type ThreadQuestion } from './parse-threads.ts';

/** What comes of text may be far larger than it, and whoever asked has to read it at once. */
const mostAnswerBytes = 8 * 1024 * 1024;

function answer(question: ThreadQuestion): Answers[ThreadQuestion['ask']] {
  switch (question.ask) {
    case 'sent':
      return parseFiles(question);
    case 'committed': {
      const read = parseCommitted(question);
      return serialize(read).length > mostAnswerBytes ? 'too large' : read;
    }
    case 'matching': {
      const { paths, patterns } = question;
      return paths.filter((path) => patterns.some((pattern) => matchesPattern(path, pattern)));
    }
    case 'affected':
      return areAffected(question.suites, question);
  }
}

/** Node gives no other way to it. */
function garbageCollector(): (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
const gc = garbageCollector();
/** Several times in a row, until the room of what was garbage is given back, too: 20 MB after 2,000 cases. */
const collectGarbage = () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });

parentPort?.on('message', (question: ThreadQuestion) => {
  parentPort?.postMessage(answer(question));
  // All that was read is garbage now: left to V8, 10 to 20 MB of it would be held while the run is planned, when memory is short.
  if (isLarge(question) && isReused(question)) setImmediate(collectGarbage);
});
parentPort?.postMessage('ready');
