import { randomBytes } from 'node:crypto';
import type { JobEnding } from '../job/decide-exit.ts';
import type { Job } from '../job/job.ts';

const timeoutMs = 3000;
const internal = 1;

/** The span under which everything that this job starts is seen. */
export interface JobTrace {
  /** For every request to the coordinator; undefined: nobody wants to see traces. */
  traceparent: string | undefined;
  /** Sends the span. A receiver that does not answer changes nothing. */
  end: (ending: JobEnding) => Promise<void>;
}

/**
 * The one span of a job, sent as OTLP in JSON. What sends the spans of coordinators would be a tenth of the bundle that a job
 * loads, for a single span.
 */
export function traceJob({ environment, now }: Pick<Job, 'environment' | 'now'>, runs: { suites: number }): JobTrace {
  const { endpoint, headers, resource } = environment.tracing;
  if (endpoint === undefined) return { traceparent: undefined, end: async () => undefined };
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const startMs = now();
  const end = async ({ kind }: JobEnding): Promise<void> => {
    const span = {
      ...{ traceId, spanId, name: 'proofmark action', kind: internal },
      ...{ startTimeUnixNano: `${startMs}000000`, endTimeUnixNano: `${now()}000000` },
      attributes: Object.entries({
        'cicd.pipeline.run.id': environment.runId,
        'vcs.repository.name': environment.repository,
        'proofmark.suites': String(runs.suites),
        'proofmark.ending': kind,
      }).map(attribute),
    };
    const body = {
      resourceSpans: [
        {
          resource: { attributes: Object.entries({ 'service.name': 'proofmark-action', ...resource }).map(attribute) },
          scopeSpans: [{ scope: { name: 'proofmark' }, spans: [span] }],
        },
      ],
    };
    await fetch(`${endpoint.replace(/\/+$/, '')}/v1/traces`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(nobodyListens);
  };
  return { traceparent: `00-${traceId}-${spanId}-01`, end };
}

/** Traces are for those who run the fleet: a job is as good without them. */
const nobodyListens = (): undefined => undefined;

const attribute = ([key, stringValue]: [string, string]) => ({ key, value: { stringValue } });
