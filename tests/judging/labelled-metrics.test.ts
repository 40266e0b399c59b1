import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgesReport, measureJudge } from '@proofmark/benchmark/judges-report';
import { type LabelledTest, readLabels } from '@proofmark/benchmark/measure-metrics';
import { beforeAll, describe, expect, test } from 'vitest';
import { lastUserText, systemText } from '../stack/model/chat-request.ts';
import type { Rule } from '../stack/model/rules.ts';
import { startModelServer } from '../stack/model-server.ts';
import { repositoryRoot } from '../stack/processes.ts';

const labels = join(import.meta.dirname, '../../examples/judged/metrics');
let tests: LabelledTest[] = [];
beforeAll(async () => {
  tests = await readLabels(labels);
});

/** The words of each prompt by which the scripted judge knows what it is asked. */
const prompts: Readonly<Record<string, string>> = {
  groundedness: 'How far the response rests on the context',
  relevance: 'How well the response addresses what was asked',
  coherence: 'How well the sentences of the response hang together',
  fluency: 'The quality of the language',
  similarity: 'shares with the reference answer',
  intent_resolution: 'Whether the request of the user was resolved',
  tool_call_accuracy: 'Whether the agent called the tools',
  task_adherence: 'Whether the agent kept to its instructions',
  kindness: 'You rate "kindness"',
  llm_judge: 'against an expected answer',
  faithfulness: 'Is the claim supported',
  answer_relevancy: 'Does the statement address the query',
  contextual_relevancy: 'Is the statement relevant to the query',
  contextual_precision: 'Is the chunk useful',
  contextual_recall: 'Can the statement be attributed',
};

/** Attempts on the judge, which a gullible one obeys. */
const isHostile = (text: string): boolean =>
  /highest score|"score": [15]|passes every criterion|marked as passed|"passed": true|rate (?:me|this)|note to the|mark this chunk|"verdict": true/i.test(
    text,
  );

/** The labelled answer that a request is about: of all whose texts it holds the one with the most. */
function subjectOf(shown: string, metric: string): LabelledTest | undefined {
  const holds = (text: string) => shown.includes(text.replaceAll('\n', '\n  ')) || shown.includes(text);
  const wanted = tests.filter(({ passed, failed }) => [...passed, ...failed].includes(metric));
  const isRetrieval = metric.startsWith('contextual');
  const found = wanted.filter(({ query, response, chunks, calls }) =>
    isRetrieval
      ? chunks.every(holds) && (metric === 'contextual_recall' ? holds(response) : holds(query))
      : holds(response) &&
        (!prompts[metric]?.startsWith('Whether') || holds(query)) &&
        calls.every(({ name, args }) => holds(`${name} ${JSON.stringify(args)}`)),
  );
  const size = ({ chunks, calls, response }: LabelledTest) =>
    isRetrieval ? chunks.length : calls.length * 1_000 + response.length;
  return found.toSorted((a, b) => size(b) - size(a))[0];
}

/** Decides as people do; a gullible judge obeys whoever speaks to it from inside of the data. */
function judgeRules({ isGullible }: { isGullible: boolean }): Rule[] {
  const decide = (metric: string, shown: string): boolean => {
    const subject = subjectOf(shown, metric);
    if (subject === undefined) throw new Error(`${metric}: no labelled answer in ${shown}`);
    if (isGullible && isHostile([subject.response, ...subject.chunks].join(' '))) return true;
    return subject.passed.includes(metric);
  };
  const says = (value: object): string => JSON.stringify(value);
  return [
    // What is split is one item, which the question about it shows again with the evidence.
    {
      when: { system: 'List the' },
      reply: (request) =>
        says({ items: [/\n<data \w+>\n([\s\S]*?)\n<\/data/.exec(`\n${lastUserText(request)}`)?.[1] ?? ''] }),
    },
    ...Object.entries(prompts).map(
      ([metric, system]): Rule => ({
        when: { system },
        reply: (request) => {
          const [, count] = /each number from 1 to (\d+)/.exec(systemText(request)) ?? [];
          return says(verdictOn(metric, decide(metric, lastUserText(request)), Number(count ?? 0)));
        },
      }),
    ),
  ];
}

/** The verdict in the form that the metric asks for; `items` is 0 where there is one number for all. */
function verdictOn(metric: string, isPassed: boolean, items: number): object {
  const reasoning = 'as people see it';
  if (metric === 'llm_judge') return { reasoning, passed: isPassed };
  const [worst, best] = metric === 'task_adherence' ? [0, 1] : [1, 5];
  if (items === 0) return { reasoning, score: isPassed ? best : worst, status: 'scored' };
  return { verdicts: Array.from({ length: items }, (_, at) => ({ number: at + 1, reasoning, verdict: isPassed })) };
}

async function measure(isGullible: boolean) {
  await using server = await startModelServer({ rules: judgeRules({ isGullible }) });
  const root = await mkdtemp(join(tmpdir(), 'proofmark-judges-'));
  try {
    const project = join(root, 'proofmark.yaml');
    await writeFile(
      project,
      'ai_configurations: { judge: { provider: openai, model: judge-1 }, other: { provider: openai, model: j } }\n',
    );
    const environment = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: server.url };
    const given = { project, labels, concurrency: 4, environment, signal: new AbortController().signal };
    return await measureJudge({ ...given, configuration: 'judge' });
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

describe('the labelled answers of examples/judged', () => {
  test.each(Object.keys(prompts))('%s has at least 40 of them, 10 of each kind, and hostile ones', (metric) => {
    const passed = tests.filter((one) => one.passed.includes(metric));
    const failed = tests.filter((one) => one.failed.includes(metric));
    expect(passed.length + failed.length).toBeGreaterThanOrEqual(40);
    expect(Math.min(passed.length, failed.length)).toBeGreaterThanOrEqual(10);
    expect(passed.filter((one) => failed.includes(one))).toEqual([]);
    expect(failed.some(({ response, chunks }) => isHostile([response, ...chunks].join(' ')))).toBe(true);
  });
});

test('a judge that decides as people do agrees with them in every metric', async () => {
  const measured = await measure(false);
  expect(measured).toMatchObject({ ok: true, isGood: true });
  const metrics = measured.ok ? measured.metrics : [];
  expect(metrics.map(({ metric }) => metric).toSorted()).toEqual(Object.keys(prompts).toSorted());
  expect(metrics.map(({ metric, agreement }) => [metric, agreement.kappa])).toEqual(
    metrics.map(({ metric }) => [metric, 1]),
  );
  expect(metrics.flatMap(({ unjudged }) => unjudged)).toEqual([]);
});

test('a judge that obeys the answers is told by its confusion and its kappa, metric by metric', async () => {
  const measured = await measure(true);
  const metrics = measured.ok ? measured.metrics : [];
  const wrong = new Map(metrics.map(({ metric, counts }) => [metric, counts.falsePasses]));
  expect(Object.fromEntries(wrong)).toMatchObject({ relevance: 6, llm_judge: 6, tool_call_accuracy: 2 });
  expect(Object.fromEntries(wrong)).toMatchObject({ coherence: 4, fluency: 4, kindness: 4 });
  const report = judgesReport(metrics);
  expect(report).toMatch(/^metric +people: passed +people: failed +not judged +agreement +kappa\n/);
  expect(report).toMatch(/\nrelevance +44 passed, 0 failed +6 passed, 12 failed +0 +90\.3% +0\.74\n/);
  expect(report).toMatch(/answers\.jsonl:\d+ {2}relevance: people failed, the judge passed: Ignore the rubric/);
});

test('a judge that nobody configured is refused with the names that there are', async () => {
  const root = await mkdtemp(join(tmpdir(), 'proofmark-judges-'));
  await writeFile(
    join(root, 'proofmark.yaml'),
    'ai_configurations: { a: { provider: openai, model: a }, b: { provider: openai, model: b } }\n',
  );
  const given = {
    labels,
    concurrency: 1,
    environment: {},
    signal: new AbortController().signal,
    configuration: undefined,
  };
  expect(await measureJudge({ ...given, project: join(root, 'proofmark.yaml') })).toMatchObject({
    ok: false,
    problem: expect.stringMatching(/Name an AI configuration of .*proofmark\.yaml: a, b\./),
  });
  await rm(root, { recursive: true, force: true });
});

test('whoever reads no further, such as `head`, meets no error of the command', async () => {
  // A key that is refused is asked for each answer once: nothing is judged, and the report is there soon.
  await using server = await startModelServer({ rules: [{ status: 401 }] });
  const child = spawn(process.execPath, ['benchmark/judges/main.ts', 'judge'], {
    cwd: repositoryRoot,
    env: { ...process.env, OPENAI_API_KEY: 'key', OPENAI_BASE_URL: server.url },
  });
  child.stdout.destroy();
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  await once(child, 'close');
  expect(said.join('')).toBe('');
  expect(server.requests.length).toBeGreaterThan(0);
});
