import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../stack/listen.ts';
import { modelSuite, type Suite } from './running-product.ts';

/** A model that answers at once, and notes when it was asked. */
export type CountingProvider = AsyncDisposable & {
  baseUrl: string;
  /** Monotonic, in ms, in the order of arrival. */
  askedAtMs: number[];
  /** The next calls are answered with 429. */
  complain: (calls: number, headers?: Record<string, string>) => void;
};

const json = { 'content-type': 'application/json' };
const completion = JSON.stringify({
  id: 'c1',
  object: 'chat.completion',
  model: 'counted',
  choices: [{ index: 0, message: { role: 'assistant', content: 'We close at 17.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const tooMany = JSON.stringify({ error: { message: 'slow down', type: 'rate_limit_exceeded', code: null } });

export async function startCountingProvider(): Promise<CountingProvider> {
  const askedAtMs: number[] = [];
  let complaint = { calls: 0, headers: {} };
  const server = createServer((request, response) => {
    askedAtMs.push(performance.now());
    void text(request).then(() => {
      if (complaint.calls === 0) return response.writeHead(200, json).end(completion);
      complaint = { ...complaint, calls: complaint.calls - 1 };
      return response.writeHead(429, { ...json, ...complaint.headers }).end(tooMany);
    });
  });
  const { origin, close } = await listen(server);
  return {
    baseUrl: `${origin}/v1`,
    askedAtMs,
    complain: (calls, headers = {}) => {
      complaint = { calls, headers };
    },
    [Symbol.asyncDispose]: close,
  };
}

/** The suite of the flows, asking the provider as often as its configuration allows. */
export function limitedSuite(
  { baseUrl }: CountingProvider,
  { cases, perMinute }: { cases: number; perMinute: number | null },
): Suite {
  const suite = modelSuite({ cases });
  const limits = perMinute === null ? '' : `, limits: { requests_per_minute: ${perMinute} }`;
  const text = `ai_configurations:\n  desk-model: { provider: openai, model: counted, base_url: "${baseUrl}"${limits} }\nlimits: { concurrency: 8 }\n`;
  return {
    ...suite,
    files: suite.files.map((file) => (file.path === 'proofmark.yaml' ? { ...file, text } : file)),
  };
}
