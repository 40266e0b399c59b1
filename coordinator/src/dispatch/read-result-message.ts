import { parseJson } from '@proofmark/contracts/parse-json';
import { readMessage } from '@proofmark/contracts/read-message';
import { ResultMessage } from '@proofmark/contracts/result-message';
import { ChunkPlace, LARGEST_CHUNK, PROTOCOL_VERSION } from '@proofmark/contracts/task-message';
import { errorOutcome } from '@proofmark/domain/fit-result';
import { deepestMessage, nestsAtMost } from '@proofmark/process/json-nesting';
import { z } from 'zod';

const Envelope = z.object({ v: z.number() });
/** The schema as code: what a coordinator reads most. */
const compiled = z.compile(ResultMessage);
/** The test runs that a message would end, whatever it says of them. */
const Ending = z.object({
  tenantId: z.uuid(),
  runId: z.uuid(),
  sessionId: z.uuid(),
  results: z
    .array(z.object({ chunkId: z.uuid(), at: ChunkPlace, attempt: z.int().min(1) }))
    .min(1)
    .max(LARGEST_CHUNK),
});

export interface ReadResult {
  runnerId: string;
  message: ResultMessage;
}

/** `later`: written by a newer runner, so a newer coordinator may understand it. `never`: nobody can. */
export type Reading =
  | ({ kind: 'results' } & ReadResult)
  | { kind: 'later' }
  | { kind: 'never'; reason: string; instead?: ReadResult };

/** A result message as it came over the wire, or what is to become of it. Its subject says which runner sent it for which run. */
export function readResultMessage(subject: string, data: Uint8Array): Reading {
  const [, , runnerId = '', runId = ''] = subject.split('.');
  if (!nestsAtMost(deepestMessage, data)) return { kind: 'never', reason: 'nested too deeply' };
  // A view of the bytes: made of them alone, a buffer is a copy.
  const value = parseJson(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8'));
  if (value === undefined) return { kind: 'never', reason: 'not JSON' };
  const envelope = Envelope.safeParse(value);
  if (envelope.success && envelope.data.v > PROTOCOL_VERSION) return { kind: 'later' };
  const parsed = readMessage(ResultMessage, value, { compiled });
  if (!parsed.ok) {
    const reason = `wrong shape: ${z.prettifyError(parsed.error).slice(0, 500)}`;
    const ending = Ending.safeParse(value);
    if (!ending.success || ending.data.runId !== runId) return { kind: 'never', reason };
    return { kind: 'never', reason, instead: { runnerId, message: asErrors(ending.data, 'it has a wrong shape') } };
  }
  if (parsed.message.runId !== runId) return { kind: 'never', reason: 'the subject names another run' };
  return { kind: 'results', runnerId, message: parsed.message };
}

/**
 * The same message with an error in the place of each result: a test run whose result cannot be kept ends with that, or its
 * runner would send it again and again.
 */
export function asErrors({ tenantId, runId, sessionId, results }: z.infer<typeof Ending>, why: string): ResultMessage {
  const outcome = errorOutcome({
    testInput: '',
    startedAt: new Date().toISOString(),
    errorKind: 'lost',
    errorMessage: `The coordinator cannot keep the result: ${why}`,
  });
  return {
    ...{ v: PROTOCOL_VERSION, kind: 'results' as const, tenantId, runId, sessionId },
    results: results.map(({ chunkId, at, attempt }) => ({ chunkId, at, attempt, outcome })),
  };
}
