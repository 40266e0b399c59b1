import { readMessage } from '@proofmark/contracts/read-message';
import { ResultMessage } from '@proofmark/contracts/result-message';
import { PROTOCOL_VERSION } from '@proofmark/contracts/task-message';
import { z } from 'zod';
import { nestsAtMost } from '../json-nesting.ts';

const maxNesting = 64;
const Envelope = z.object({ v: z.number() });

export interface ReadResult {
  runnerId: string;
  message: ResultMessage;
}

/** `later`: written by a newer runner, so a newer coordinator may understand it. `never`: nobody can. */
export type Reading = ({ kind: 'results' } & ReadResult) | { kind: 'later' } | { kind: 'never'; reason: string };

/** A result message as it came over the wire, or what is to become of it. Its subject says which runner sent it for which run. */
export function readResultMessage(subject: string, data: Uint8Array): Reading {
  const [, , runnerId = '', runId = ''] = subject.split('.');
  if (!nestsAtMost(maxNesting, data)) return { kind: 'never', reason: 'nested too deeply' };
  const value = parseJson(data);
  if (value === undefined) return { kind: 'never', reason: 'not JSON' };
  const envelope = Envelope.safeParse(value);
  if (envelope.success && envelope.data.v > PROTOCOL_VERSION) return { kind: 'later' };
  const parsed = readMessage(ResultMessage, value);
  if (!parsed.ok) return { kind: 'never', reason: `wrong shape: ${z.prettifyError(parsed.error).slice(0, 500)}` };
  if (parsed.message.runId !== runId) return { kind: 'never', reason: 'the subject names another run' };
  return { kind: 'results', runnerId, message: parsed.message };
}

function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString('utf8'));
  } catch {
    // Undefined is no JSON value, so it cannot be confused with a message.
    return undefined;
  }
}
