// A thread of its own for what a caller or a stranger wrote: when it costs too much, the thread is given up and nothing else.
import { serialize } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { matchesPattern } from '@proofmark/contracts/path-pattern';
import { areAffected } from '@proofmark/domain/affected-suites';
import { parseCommitted, parseFiles } from './parse-files.ts';
import type { Answers, ThreadQuestion } from './parse-threads.ts';

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

parentPort?.on('message', (question: ThreadQuestion) => {
  parentPort?.postMessage(answer(question));
});
parentPort?.postMessage('ready');
