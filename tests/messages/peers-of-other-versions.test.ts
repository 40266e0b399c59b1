import {
  ClaimReply,
  ClaimRequest,
  HeartbeatReply,
  HeartbeatRequest,
  HelloReply,
  HelloRequest,
  PoolNotice,
  ReleaseReply,
  ReleaseRequest,
} from '@proofmark/contracts/control-messages';
import { readMessage } from '@proofmark/contracts/read-message';
import { ResultMessage } from '@proofmark/contracts/result-message';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { withNewKeys } from '../stack/with-new-keys.ts';

const id = '7d444840-9dc0-41d1-b245-5ffdce74fad2';
const ref = { tenantId: id, chunkId: id, attempt: 1 };
const places = { ...ref, at: [0, 63] };
const run = { tenantId: id, runId: id };
const usage = { promptTokens: 1, completionTokens: 2 };

const outcome = {
  status: 'failed',
  errorKind: null,
  errorMessage: null,
  testInput: 'Hi',
  files: [{ original: { path: 'a.txt', type: 'text' }, markdown_content: 'A', processing_time_ms: 1 }],
  response: 'Hello',
  checks: [{ checkIndex: 0, checkType: 'equals', status: 'fail', passed: false, details: { missingPhrases: ['9'] } }],
  toolCalls: [{ id: '1', name: 'hours', args: null, result: null, source: 'mock', turn: 0, durationMs: 1 }],
  tools: { matched: false, problems: ['never called'] },
  metrics: [{ metric_name: 'groundedness', score: 0.5, passed: true, evaluation_time_ms: 1 }],
  metricDetails: [{ metric_name: 'groundedness', kind: 'model' }],
  outcomes: {
    ...{ passed: false, score: 0, error: null },
    criteria: [{ id: 'refund', requirement: 'r', reasoning: 'w', status: 'failed' }],
    answers: [{ model: 'm', text: 't' }],
  },
  transcript: [{ role: 'user', text: 'Hi' }],
  conversation: {
    ...{ endReason: 'agent', leaveReason: null, agentTurns: 1, discardedTries: [] },
    simulator: { template: '1', model: null, calls: 1, usage, costUsd: null },
    review: [{ message: 1, kind: 'wrong_role', isCritical: true, explanation: 'e', correctBehavior: 'c' }],
  },
  mocks: { unusedEntries: [], unmatchedCalls: [] },
  measuring: [{ role: 'judge', calls: 1, usage, costUsd: null }],
  usage,
  executionTimeMs: 1,
  startedAt: '2026-01-31T12:00:00.000Z',
};

type Sample = [name: string, schema: z.ZodType<unknown>, message: Record<string, unknown>];

/** Messages as version 0.1.0 sends them. They stay as they are: a release beside the next one goes on sending them. */
const first: Sample[] = [
  ['hello', HelloRequest, { protocol: 1, version: '0.1.0', pool: 'default', slots: 8 }],
  [
    'answer to hello',
    HelloReply,
    {
      ok: true,
      sessionId: id,
      heartbeatMs: 2000,
      leaseMs: 25_000,
      filesOrigin: 'https://a.example',
    },
  ],
  ['refusal of hello', HelloReply, { ok: false, message: 'update it', protocols: [1] }],
  ['claim', ClaimRequest, { sessionId: id, claimId: id, chunks: [{ tenantId: id, chunkId: id }] }],
  [
    'answer to claim',
    ClaimReply,
    {
      claimed: [
        { ...ref, solo: false },
        {
          ...ref,
          ...{ solo: true, files: [{ path: 'a.txt', sha256: 'a'.repeat(64), url: 'https://a.example/blobs/a' }] },
        },
      ],
    },
  ],
  ['heartbeat', HeartbeatRequest, { sessionId: id, held: [ref], waiting: [places], unconfirmed: [places] }],
  [
    'answer to heartbeat',
    HeartbeatReply,
    {
      ...{ session: 'open', abandoned: [ref], fleetSize: 2 },
      confirmations: [{ ...ref, recorded: [0], superseded: [63] }],
    },
  ],
  ['end of a session', HeartbeatReply, { session: 'expired' }],
  ['ledger down', HeartbeatReply, { session: 'unknown', ledger: 'down' }],
  ['release', ReleaseRequest, { sessionId: id, given: [places], closing: false }],
  ['answer to release', ReleaseReply, { released: 1 }],
  ['notice', PoolNotice, { kind: 'run-cancelled', ...run }],
  [
    'results',
    ResultMessage,
    { v: 1, kind: 'results', ...run, sessionId: id, results: [{ chunkId: id, at: 0, attempt: 1, outcome }] },
  ],
];

describe.each(first)('%s', (_name, schema, message) => {
  test('of the first version is understood', () => {
    expect(readMessage(schema, message)).toMatchObject({ ok: true, message });
  });

  test('of a newer version is read without what is new in it, at whatever depth', () => {
    const then = withNewKeys(message);
    expect(readMessage(schema, then)).toEqual(readMessage(schema, message));
    expect(JSON.stringify(then)).toContain('keyOfALaterVersion');
  });

  test('without one of its keys, or with one of a wrong type, is still refused', () => {
    const [key = ''] = Object.keys(message);
    const { [key]: _missing, ...rest } = message;
    expect(readMessage(schema, rest).ok).toBe(false);
    expect(readMessage(schema, withNewKeys({ ...message, [key]: { wrong: 1 } })).ok).toBe(false);
  });
});
