// A thread of its own for files that a caller sent: when they cost too much, the thread is given up and nothing else.
import { parentPort } from 'node:worker_threads';
import { parseFiles, type SentFiles } from './parse-files.ts';

parentPort?.on('message', (files: SentFiles) => {
  parentPort?.postMessage(parseFiles(files));
});
parentPort?.postMessage('ready');
