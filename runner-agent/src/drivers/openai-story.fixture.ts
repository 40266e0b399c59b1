import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { aCase, type CaseStory, casePorts } from '../case/a-case.fixture.ts';
import type { KeyRing } from '../models/key-ring.ts';
import { createModelClient } from '../models/model-client.ts';
import type { ModelDouble } from '../models/model-double.fixture.ts';
import { runCase } from '../run-case/run-case.ts';

/** The key that the double's provider is asked with. */
export const secret = 'sk-test-0123456789abcdefghij';

export function ringFor(baseUrl: string): KeyRing {
  return {
    values: new Map([['OPENAI_API_KEY', secret]]),
    origins: new Map([['OPENAI_API_KEY', [new URL(baseUrl).origin]]]),
    defaultBaseUrl: baseUrl,
    allowedOrigins: new Set(),
    allowsLoopback: false,
  };
}

export const model = {
  configuration: 'main',
  provider: 'openai',
  model: 'gpt-test',
  temperature: 0,
  price: { input: 2, output: 10 },
};

export const streaming = { ...model, stream: true };

/** Runs the default case with an openai agent against the server; retries do not wait, only note how long they would. */
export async function runAgainst(
  server: ModelDouble,
  story: CaseStory = {},
): Promise<CaseOutcome & { pauses: number[] }> {
  const pauses: number[] = [];
  await using models = createModelClient({ keys: ringFor(server.baseUrl), now: () => new Date() });
  const ports = casePorts({
    models,
    pause: async (ms) => {
      pauses.push(ms);
    },
  });
  const work = aCase({ model, ...story, agent: { driver: { type: 'openai' }, ...story.agent } });
  return { ...(await runCase(work, ports, new AbortController().signal)), pauses };
}

/** The same with a configuration that asks for streams. */
export const runStreamed = (server: ModelDouble, story: CaseStory = {}): ReturnType<typeof runAgainst> =>
  runAgainst(server, { model: streaming, ...story });
