import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { TestRunProgress } from '@proofmark/domain/lifecycle';
import { expect, test } from 'vitest';
import { aCase, type CaseStory, casePorts } from '../case/a-case.fixture.ts';
import type { AgentReach } from '../drivers/agent-reach.ts';
import { createFileReader } from '../files/file-reader.ts';
import { aPdf, aPng } from '../files/sample-documents.fixture.ts';
import type { CallResult, ChatAnswer, ChatRequest } from '../models/model-port.ts';
import { runCase } from './run-case.ts';

const running = new AbortController().signal;
const clock = { now: () => new Date(), monotonicMs: () => performance.now() };
const openAi: CaseStory = {
  agent: { driver: { type: 'openai' } },
  model: { configuration: 'main', provider: 'openai', model: 'm' },
};

/** Runs a case in a repository with these files, and keeps what its model was asked and the progress that was told. */
async function runWith(files: Record<string, Buffer | string>, story: CaseStory) {
  const root = await mkdtemp(join(tmpdir(), 'case-files-'));
  const asked: ChatRequest[] = [];
  const progress: TestRunProgress[] = [];
  const chat = async (_settings: unknown, request: ChatRequest): Promise<CallResult<ChatAnswer>> => {
    asked.push({ ...request, messages: [...request.messages] });
    return { ok: true, value: { text: 'done', calls: [], usage: null, model: 'm', flags: [] } };
  };
  const embed = async (): Promise<never> => {
    throw new Error('Nothing is embedded here');
  };
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(root, name), content);
    const reader = createFileReader({ root, allowedOrigins: new Set(), clock });
    const ports = casePorts({
      models: { chat, embed },
      files: reader,
      progressed: (step) => progress.push(step),
      random: () => 0.5,
    });
    return { outcome: await runCase(aCase({ ...openAi, ...story }), ports, running), asked, progress };
  } finally {
    await rm(root, { recursive: true });
  }
}

test('files become Markdown before the agent is called, and it gets them behind the input (S0-11, S0-117, S0-118)', async () => {
  const { outcome, asked, progress } = await runWith(
    { 'rules.pdf': aPdf([['No refunds']]), 'prices.csv': 'item,price\ntea,3' },
    {
      case: {
        input: 'What does tea cost?',
        files: [
          { path: 'rules.pdf', type: 'pdf', description: 'The\nrules' },
          { path: 'prices.csv', type: 'csv' },
        ],
      },
    },
  );

  expect(CaseOutcome.parse(outcome)).toEqual(outcome);
  expect(outcome).toMatchObject({ status: 'passed', testInput: 'What does tea cost?' });
  expect(outcome.files.map(({ original, error }) => [original.path, error])).toEqual([
    ['rules.pdf', null],
    ['prices.csv', null],
  ]);
  const marker = '80000000'.repeat(4);
  expect(asked[0]?.messages.at(-1)?.content).toBe(
    [
      'What does tea cost?',
      `File 1: rules.pdf (pdf): The rules\n<file ${marker}>\n## Page 1\n\nNo refunds\n</file ${marker}>`,
      `File 2: prices.csv (csv)\n<file ${marker}>\n| item | price |\n| --- | --- |\n| tea | 3 |\n</file ${marker}>`,
    ].join('\n\n'),
  );
  expect(outcome.transcript[0]).toMatchObject({ role: 'user', text: 'What does tea cost?' });
  expect(progress).toEqual([
    'PROCESSING_FILES',
    'FILES_READY',
    'EXECUTING_AGENT',
    'AGENT_COMPLETE',
    'EVALUATING',
    'COMPLETE',
  ]);
});

test('a broken file is an error of kind files: the agent is not called, and the other files are still told of (S0-50)', async () => {
  const { outcome, asked, progress } = await runWith(
    { 'broken.pdf': 'no pdf', 'fine.txt': 'text' },
    {
      case: {
        files: [
          { path: 'broken.pdf', type: 'pdf' },
          { path: 'fine.txt', type: 'text' },
        ],
      },
    },
  );

  expect(outcome).toMatchObject({
    status: 'error',
    errorKind: 'files',
    errorMessage: 'broken.pdf: the file is not a PDF (type_mismatch)',
    files: [
      { markdown_content: '', error: expect.any(String) },
      { markdown_content: 'text', error: null },
    ],
  });
  expect(asked).toEqual([]);
  expect(progress).toEqual(['PROCESSING_FILES', 'FILES_FAILED']);
});

test('a picture goes to a model as an image, with what is known about it as text', async () => {
  const { asked } = await runWith(
    { 'shop.png': aPng(2, 3) },
    { case: { files: [{ path: 'shop.png', type: 'image' }] } },
  );

  expect(asked[0]?.messages.at(-1)).toMatchObject({
    content: expect.stringContaining('Size: 2 × 3 pixels'),
    images: [{ mediaType: 'image/png', bytes: aPng(2, 3) }],
  });
});

test('a driver that takes no pictures makes a picture an error of kind files', async () => {
  const driver = { type: 'scripted' as const, replies: [{ reply: 'never' }] };
  const { outcome } = await runWith(
    { 'shop.png': aPng(2, 3) },
    { agent: { driver }, case: { files: [{ path: 'shop.png', type: 'image' }] } },
  );

  expect(outcome).toMatchObject({
    status: 'error',
    errorKind: 'files',
    errorMessage: 'shop.png: agents of the driver "scripted" take no images',
    response: null,
  });
});

test('an agent of the team gets the files beside the input, which stays as it is', async () => {
  const root = await mkdtemp(join(tmpdir(), 'case-files-'));
  await writeFile(join(root, 'a.txt'), 'text');
  const sent: unknown[] = [];
  const call: AgentReach['call'] = async ({ body }) => {
    sent.push(JSON.parse(body?.text ?? ''));
    return {
      ok: true,
      value: { text: '{"output":"done"}', contentType: 'application/json', header: () => null, cookies: [] },
    };
  };
  const start = () => {
    throw new Error('Nothing is started here');
  };
  const agent = { driver: { type: 'http' as const, url: 'https://agent.example.com/' } };
  const work = aCase({
    agent,
    case: { input: 'Read', files: [{ path: 'a.txt', type: 'text', description: 'A text' }] },
  });
  const files = createFileReader({ root, allowedOrigins: new Set(), clock });

  await runCase(work, casePorts({ reach: { call, start, ask: start }, files }), running);

  await rm(root, { recursive: true });
  expect(sent[0]).toMatchObject({
    input: 'Read',
    files: [{ name: 'a.txt', type: 'text', description: 'A text', markdown: 'text', metadata: { size_bytes: 4 } }],
  });
});

test('a runner that reads no files says so instead of leaving them out', async () => {
  const work = aCase({ case: { files: [{ path: 'a.txt', type: 'text' }] } });

  expect(await runCase(work, casePorts(), running)).toMatchObject({
    status: 'error',
    errorKind: 'files',
    errorMessage: 'a.txt: files cannot be read here',
  });
});

test('progress of a case without files passes the file states at once, and ends where the agent broke (S0-121, S0-122)', async () => {
  const progress: TestRunProgress[] = [];
  const agent = { driver: { type: 'scripted' as const, replies: [{ error: 'broken' }] } };

  await runCase(aCase({ agent }), casePorts({ progressed: (step) => progress.push(step) }), running);

  expect(progress).toEqual(['PROCESSING_FILES', 'FILES_READY', 'EXECUTING_AGENT', 'AGENT_FAILED']);
});

test('C21 the outcome keeps every state and when it was reached (S0-121, S0-122, S0-123)', async () => {
  const { progress = [], executionTimeMs } = await runCase(aCase(), casePorts(), running);
  expect(progress.map(({ state }) => state)).toEqual([
    ...['PENDING', 'PROCESSING_FILES', 'FILES_READY', 'EXECUTING_AGENT', 'AGENT_COMPLETE', 'EVALUATING', 'COMPLETE'],
  ]);
  const times = progress.map(({ atMs }) => atMs);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBe(0);
  expect(times.at(-2)).toBeLessThanOrEqual(executionTimeMs + 1);
});

test('progress ends with EVALUATION_FAILED when nothing could be judged (S0-123)', async () => {
  const progress: TestRunProgress[] = [];
  const expected_behavior = { checks: [{ type: 'llm_judge' as const, expected_answer: 'from 9 to 17' }] };

  await runCase(
    aCase({ case: { expected_behavior } }),
    casePorts({ progressed: (step) => progress.push(step) }),
    running,
  );

  expect(progress.at(-1)).toBe('EVALUATION_FAILED');
});
