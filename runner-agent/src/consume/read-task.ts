import type { FetchableFile } from '@proofmark/contracts/file-content';
import { parseJson } from '@proofmark/contracts/parse-json';
import { readMessage } from '@proofmark/contracts/read-message';
import { PROTOCOL_VERSION, TaskMessage } from '@proofmark/contracts/task-message';
import { z } from 'zod';
import { isTooDeep } from '../models/json-depth.ts';

const Envelope = z.object({ v: z.number() });

/** `later`: written by a newer coordinator, so a newer runner may understand it. `never`: nobody can. */
export type ReadTask =
  | { kind: 'task'; task: TaskMessage }
  | { kind: 'later'; reason: string }
  | { kind: 'never'; reason: string };

/** A task as it came over the wire, or what is to become of it. */
export function readTask(bytes: Uint8Array): ReadTask {
  const text = new TextDecoder().decode(bytes);
  if (isTooDeep(text)) return { kind: 'never', reason: 'nested too deeply' };
  const value = parseJson(text);
  if (value === undefined) return { kind: 'never', reason: 'not JSON' };
  const envelope = Envelope.safeParse(value);
  if (envelope.success && envelope.data.v > PROTOCOL_VERSION)
    return { kind: 'later', reason: `version ${envelope.data.v}` };
  // What is to be done is never overlooked: without the expectation that this runner does not know, red would turn green.
  const task = readMessage(TaskMessage, value, { mayOverlook: (path) => !isInWork(path) });
  if (task.ok) return { kind: 'task', task: task.message };
  const reason = z.prettifyError(task.error).slice(0, 500);
  return { kind: task.error.issues.every(({ path }) => isInWork(path)) ? 'later' : 'never', reason };
}

const isInWork = ([list]: readonly PropertyKey[]): boolean => list === 'settings' || list === 'cases';

/** Those of the files that lie at the one origin from which files may be fetched; none when no origin was named. */
export function filesWithin(origin: string | undefined, files: readonly FetchableFile[]): FetchableFile[] {
  return files.filter(({ url }) => origin !== undefined && new URL(url).origin === origin);
}
