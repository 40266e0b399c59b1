import { expect, it } from 'vitest';
import { type FaultyProvider, faults, startFaultyProvider, startProvider } from './faulty-provider.ts';
import { type Expected, good, scripted } from './provider-answers.ts';
import { runInProcess } from './run-in-process.ts';
import { modelSuite, patient, type Suite, startRunningProduct } from './running-product.ts';

const names = Object.keys(faults);
/** A healthy case before and after each faulty one: what goes wrong beside them must not touch them. */
const caseNames = names.flatMap((name) => [`before ${name}`, name]).concat('at the end');

/** One case per fault, each with a provider of its own, and healthy ones between them. */
function faultySuite(origin: string): Suite {
  const configurations = ['healthy', ...names].map(
    (name) =>
      `  "${name}": { provider: openai, model: m, base_url: "${origin}/${name}/v1", stream: ${faults[name]?.isStream ?? false} }\n`,
  );
  const cases = caseNames.map(
    (name) =>
      `  - { name: "${name}", input: "When do you close?", variables: { AIConfiguration: { defaultValue: "${name in faults ? name : 'healthy'}" } }, expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }\n`,
  );
  return {
    files: [
      {
        path: 'proofmark.yaml',
        text: `ai_configurations:\n${configurations.join('')}limits: { agent_timeout_ms: 6000, concurrency: 8 }\n`,
      },
      {
        path: 'evals/faults.suite.yaml',
        text: [
          'name: Faults',
          'agent: { name: Desk, instructions: You answer for a shop., ai_configuration: healthy, tools: [{ name: get_hours }] }',
          'mocks: [{ tool: get_hours, returns: 9-17, times: always }]',
          `cases:\n${cases.join('')}`,
        ].join('\n'),
      },
    ],
    suitePaths: ['evals/faults.suite.yaml'],
    projectPath: 'proofmark.yaml',
  };
}

interface Ended {
  caseName: string;
  status: string;
  errorKind: string | null;
  errorMessage: string | null;
  flags: readonly string[];
}

function expectRightEnds(ended: readonly Ended[], { calls }: FaultyProvider): void {
  expect(ended.map(({ caseName }) => caseName)).toEqual(caseNames);
  for (const { caseName, ...end } of ended) {
    const expected: Expected = faults[caseName]?.expected ?? { status: 'passed' };
    const { status } = expected;
    expect({ caseName, ...end }).toMatchObject(
      expected.status === 'passed'
        ? { caseName, status, errorKind: null, flags: expected.flags ?? [] }
        : { caseName, status, errorKind: expected.errorKind, errorMessage: expect.stringMatching(expected.message) },
    );
  }
  expect(Object.fromEntries(calls)).toEqual({
    healthy: names.length + 1,
    ...Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, fault.calls])),
  });
}

it(
  'whatever a provider does wrong, in one piece or in a stream, ends its case as an error of the right kind, and the others go on, in one process',
  patient,
  async () => {
    await using provider = await startFaultyProvider();
    const ended = await runInProcess(faultySuite(provider.origin), {});
    expectRightEnds(
      ended.map(({ caseName, outcome }) => ({ caseName, ...outcome })),
      provider,
    );
  },
);

it('the same faults end in the same way on a runner (F43 F44 F45 F47 F49 F50 F51 F52 F53)', patient, async () => {
  await using provider = await startFaultyProvider();
  await using running = await startRunningProduct({
    runnerEnv: { PROOFMARK_URL_ALLOW: provider.origin, PROOFMARK_SLOTS: '8' },
  });
  const runId = await running.start(faultySuite(provider.origin));
  expect((await running.waitForEnd(runId)).status).toBe('completed');
  const ended = await running.rows<Ended>(
    `select c.case_name as "caseName", c.status, c.error_kind as "errorKind", c.error_message as "errorMessage",
       c.payload -> 'flags' as flags
     from test_case_results c join test_suite_runs s on s.id = c.run_id
     where s.run_id = $1 order by c.sort_order`,
    [runId],
  );
  expectRightEnds(ended, provider);
});

/** A key that no provider wants, and how far a run of 40 cases gets with it. */
function refusedSuite(baseUrl: string): Suite {
  const numbers = Array.from({ length: 40 }, (_, index) => index + 1);
  const suite = modelSuite({ cases: numbers.length });
  const project = `ai_configurations:\n  desk-model: { provider: openai, model: scripted, base_url: "${baseUrl}" }\nlimits: { concurrency: 4 }\n`;
  return {
    ...suite,
    files: suite.files.map((file) => (file.path === 'proofmark.yaml' ? { ...file, text: project } : file)),
  };
}

const givenUp = (origin: string): string =>
  `The rest of the run does not ask the provider any more, because it refused 3 calls in a row: The provider at ${new URL(origin).host} answered 401 scripted 401`;

it(
  'a key that is refused ends the run after a few calls, with one sentence for all that was not asked',
  patient,
  async () => {
    await using provider = await startFaultyProvider();
    const ended = await runInProcess(refusedSuite(`${provider.origin}/401/v1`), {});
    expect(ended.map(({ outcome }) => outcome.errorKind)).toEqual(Array.from({ length: 40 }, () => 'agent'));
    // Calls that were under way when the third answer came are made to their end.
    const asked = provider.calls.get('401') ?? 0;
    expect(asked).toBeLessThanOrEqual(3 + 3);
    expect(ended.filter(({ outcome }) => outcome.errorMessage === givenUp(provider.origin))).toHaveLength(40 - asked);
  },
);

it(
  'a judge that is refused ends the run as well, before its agents are paid for answers that nobody judges',
  patient,
  async () => {
    await using provider = await startFaultyProvider();
    const suite = refusedSuite(`${provider.origin}/healthy/v1`);
    const judge = `ai_configurations:\n  strict: { provider: openai, model: judge, base_url: "${provider.origin}/401/v1" }`;
    const files = suite.files.map(({ path, text }) => ({
      path,
      text: text
        .replace('ai_configurations:', judge)
        .replace('name: Opening hours', 'name: Opening hours\njudge: { ai_configuration: strict }')
        .replaceAll('{ type: contains_phrases, phrases: ["17"] }', '{ type: llm_judge, expected_answer: "At 17." }'),
    }));
    const ended = await runInProcess({ ...suite, files }, {});
    expect(ended.map(({ outcome }) => [outcome.status, outcome.errorKind])).toEqual(Array(40).fill(['error', 'judge']));
    // Those that were under way when the third refusal came, four at a time.
    expect(provider.calls.get('healthy') ?? 0).toBeLessThanOrEqual(3 + 2 * 4);
    expect(
      ended.filter(({ outcome }) => outcome.errorMessage === givenUp(provider.origin)).length,
    ).toBeGreaterThanOrEqual(40 - 11);
  },
);

it('the same on a runner, and the next run finds out for itself', patient, async () => {
  await using provider = await startFaultyProvider();
  await using running = await startRunningProduct({ runnerEnv: { PROOFMARK_URL_ALLOW: provider.origin } });
  const suite = refusedSuite(`${provider.origin}/401/v1`);
  const first = await running.waitForEnd(await running.start(suite));
  expect(first.status).toBe('completed');
  expect(first.results.map(({ status, errorKind }) => [status, errorKind])).toEqual(
    Array.from({ length: 40 }, () => ['error', 'agent']),
  );
  const asked = provider.calls.get('401') ?? 0;
  expect(asked).toBeLessThanOrEqual(3 + 3);
  await running.waitForEnd(await running.start(suite));
  expect(provider.calls.get('401')).toBeGreaterThanOrEqual(asked + 3);
});

/** Two cases for one slot. The first is asked to wait. */
const waitingSuite = (origin: string): Suite => ({
  files: [
    {
      path: 'proofmark.yaml',
      text: `ai_configurations: { m: { provider: openai, model: m, base_url: "${origin}/v1" } }\nlimits: { concurrency: 1 }\n`,
    },
    {
      path: 'evals/two.suite.yaml',
      text: [
        'name: Two',
        'agent: { name: Desk, instructions: x, ai_configuration: m }',
        'cases:',
        ...['one', 'two'].map(
          (input) =>
            `  - { name: Case ${input}, input: "${input}", expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }`,
        ),
      ].join('\n'),
    },
  ],
  suitePaths: ['evals/two.suite.yaml'],
  projectPath: 'proofmark.yaml',
});

/** Whoever comes first is asked to wait 5 s. */
async function startBusyProvider() {
  const asked: string[] = [];
  const provider = await startProvider((response, call) => {
    const input = call.body.includes('"one"') ? 'one' : 'two';
    asked.push(input);
    const answer = asked.length === 1 ? scripted(429, { 'retry-after': '5' }) : good;
    answer(response, call);
  });
  return { ...provider, asked };
}

const expectOvertaken = (asked: readonly string[]): void => {
  const [waiting] = asked;
  expect(asked).toEqual([waiting, waiting === 'one' ? 'two' : 'one', waiting]);
};

it('a case that waits for its provider holds no slot, in one process', patient, async () => {
  await using provider = await startBusyProvider();
  const ended = await runInProcess(waitingSuite(provider.origin), {});
  expectOvertaken(provider.asked);
  expect(ended.map(({ outcome }) => outcome.status)).toEqual(['passed', 'passed']);
  expect(new Set(ended.map(({ outcome }) => outcome.retryCount))).toEqual(new Set([0, 1]));
});

it('nor does it on a runner', patient, async () => {
  await using provider = await startBusyProvider();
  await using running = await startRunningProduct({
    runnerEnv: { PROOFMARK_URL_ALLOW: provider.origin, PROOFMARK_SLOTS: '1' },
  });
  const { results } = await running.waitForEnd(await running.start(waitingSuite(provider.origin)));
  expect(results.map(({ status }) => status)).toEqual(['passed', 'passed']);
  expectOvertaken(provider.asked);
});
