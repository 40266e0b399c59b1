import { ABSession, AgentResponse } from '@proofmark/contracts/ab-session';
import { z } from 'zod';
import { sessionCsvRow } from '../ab/session-files.ts';
import { compareResponses, measureResponse, measureSession, successRate } from '../ab/summarize-session.ts';
import { type Adapter, adapter } from './adapter.fixture.ts';

const stamp = { model: 'm', timestamp: '2026-01-01T00:00:00Z' };
/** A response of which the vector gives the measured fields. */
const Response = z.record(z.string(), z.unknown()).transform((fields) => AgentResponse.parse({ ...stamp, ...fields }));
const Pair = z.object({ baseline: Response, candidate: Response });

const Session = z
  .object({ start_time: z.string(), end_time: z.string().nullish(), both_successful: z.array(z.boolean()) })
  .transform(({ start_time, end_time, both_successful }) => {
    const answer = (error: string | null) => ({
      ...{ ...stamp, response: '', prompt_tokens: 0, completion_tokens: 0, latency_ms: 0 },
      error,
    });
    return ABSession.parse({
      session_id: 's',
      start_time,
      end_time: end_time ?? null,
      results: both_successful.map((successful) => ({
        ...{ question: 'q', context_tokens: 0, session_id: 's', timestamp: stamp.timestamp },
        baseline: answer(null),
        candidate: answer(successful ? null : 'failed'),
      })),
    });
  });

export const ab: Readonly<Record<string, Adapter>> = {
  agent_response: adapter(Response, measureResponse),
  ab_result: adapter(Pair, ({ baseline, candidate }) => {
    const { latency_change_pct: _sameAsImprovement, ...comparison } = compareResponses(baseline, candidate);
    return comparison;
  }),
  session: adapter(Session, (session) => measureSession(session, Date.parse(session.start_time))),
  execution_stats: adapter(z.object({ successful: z.number(), failed: z.number() }), (counts) => ({
    success_rate: successRate(counts),
  })),
  csv_row: adapter(z.object({ question: z.string(), ab: Pair }), ({ question, ab: pair }) =>
    sessionCsvRow({ question, ...pair }),
  ),
};
