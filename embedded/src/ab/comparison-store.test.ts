import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ABSession, ABTestResult } from '@proofmark/contracts/ab-session';
import { expect, test } from 'vitest';
import { resultsFolder } from './ab-world.fixture.ts';
import { comparisonStore, ExecutionError } from './comparison-store.ts';

const response = {
  response: 'a, "quoted"\nanswer',
  prompt_tokens: 60,
  completion_tokens: 40,
  latency_ms: 1000.126,
  model: 'm',
  timestamp: '2026-01-01T00:00:00.500Z',
  error: null,
  retry_count: 1,
};
const result = (parts: object = {}): ABTestResult =>
  ABTestResult.parse({
    question: 'When?',
    baseline: response,
    candidate: { ...response, latency_ms: 750 },
    context_tokens: 10,
    timestamp: '2026-01-01T00:00:01.250Z',
    session_id: 's-1',
    metadata: { category: 'hours' },
    ...parts,
  });
const comparison = (parts: object = {}): ABSession =>
  ABSession.parse({ session_id: 's-1', start_time: '2026-01-01T00:00:00.000Z', ...parts });

test('S3-96 S3-97 S3-99 S3-100 C31 a result is one file with a name that every system allows', async () => {
  await using folder = await resultsFolder();
  const store = comparisonStore(join(folder.path, 'not', 'there', 'yet'));
  const path = await store.saveResult(result());
  expect(path).toBe(join(folder.path, 'not/there/yet/s-1/s-1__2026-01-01T00-00-01.250Z.json'));
  const text = await readFile(path, 'utf8');
  expect(text.startsWith('{\n  "question": "When?",\n  "baseline": {\n    "response": ')).toBe(true);
});

test('S3-15 S3-21 S3-23 S3-24 S3-35 S3-38 S3-40 S3-41 C26 computed values are written, and none of them is believed when they are read', async () => {
  await using folder = await resultsFolder();
  const path = await folder.store.saveResult(result());
  await folder.store.saveComparison(comparison());
  const written = JSON.parse(await readFile(path, 'utf8'));
  expect(Object.keys(written)).toEqual([
    ...['question', 'baseline', 'candidate', 'context_tokens', 'timestamp', 'session_id', 'metadata'],
    ...['token_overhead', 'token_overhead_pct', 'latency_diff_ms', 'latency_improvement_pct', 'latency_change_pct'],
    ...['response_length_ratio', 'both_successful'],
  ]);
  expect(Object.keys(written.baseline)).toEqual([
    ...['response', 'prompt_tokens', 'completion_tokens', 'total_tokens', 'latency_ms', 'model', 'timestamp', 'error'],
    ...['retry_count', 'tokens_per_ms', 'success'],
  ]);
  expect(written.baseline.total_tokens).toBe(100);
  await writeFile(
    path,
    JSON.stringify({
      ...written,
      token_overhead: 999,
      both_successful: false,
      baseline: { ...written.baseline, total_tokens: 1 },
    }),
  );
  expect((await folder.store.loadComparison('s-1'))?.results).toEqual([result()]);
});

test('S3-94 S3-98 S3-111 a session is read back without loss', async () => {
  await using folder = await resultsFolder();
  const whole = comparison({
    end_time: '2026-01-01T00:00:02.000Z',
    baseline_model: 'a',
    candidate_model: 'b',
    llms_source_path: 'llms.txt',
    environment: { os: 'linux' },
    notes: 'why\nwe did it',
    results: [result()],
  });
  const { json } = await folder.store.saveComparison(whole);
  expect(json).toBe(join(folder.path, 'session__s-1.json'));
  expect(await folder.store.loadComparison('s-1')).toEqual(whole);
});

test('S3-25 S3-28 S3-42 S3-85 S3-86 S3-87 S3-88 S3-89 S3-90 S3-95 C10 a file of the seed’s own tool is read, defaults filled in', async () => {
  await using folder = await resultsFolder();
  const { error: _error, retry_count: _retries, ...reduced } = response;
  const theirs = {
    question: 'q',
    baseline: reduced,
    docstratum: reduced,
    context_tokens: 0,
    timestamp: '2026-01-01T00:00:00',
  };
  const document = {
    session_id: 'old',
    start_time: '2026-01-01T00:00:00.123456',
    results: [{ ...theirs, session_id: 'old', token_overhead: 5, latency_diff_ms: 5 }],
  };
  await writeFile(join(folder.path, 'session__old.json'), JSON.stringify(document));
  const loaded = await folder.store.loadComparison('old');
  expect(loaded).toMatchObject({
    end_time: null,
    baseline_model: 'claude-baseline',
    candidate_model: 'claude-docstratum',
    llms_source_path: '',
    environment: {},
    notes: '',
    results: [{ candidate: { error: null, retry_count: 0 }, metadata: {}, timestamp: '2026-01-01T00:00:00Z' }],
  });
  await writeFile(
    join(folder.path, 'session__empty.json'),
    '{"session_id":"empty","start_time":"2026-01-01T00:00:00Z"}',
  );
  expect((await folder.store.loadComparison('empty'))?.results).toEqual([]);
});

test('S3-08 S3-101 S3-102 C10 C32 the session is a CSV file, too, with the columns of the seed in their order', async () => {
  await using folder = await resultsFolder();
  const { csv } = await folder.store.saveComparison(
    comparison({ environment: { backoff_factor: '1.5' }, results: [result({ question: 'a,"b"\nc' })] }),
  );
  expect(csv).toBe(join(folder.path, 'session__s-1.csv'));
  expect(await readFile(csv, 'utf8')).toBe(
    'question,baseline_tokens,candidate_tokens,token_overhead,baseline_latency_ms,candidate_latency_ms,latency_diff_ms,response_length_ratio,' +
      'token_overhead_pct,latency_improvement_pct,latency_change_pct,baseline_tokens_per_ms,candidate_tokens_per_ms,' +
      'baseline_success,candidate_success,both_successful,backoff_factor,metadata_category\r\n' +
      '"a,""b""\nc",100,100,0,1000.13,750.00,-250.13,1.00,0.00,-25.01,-25.01,0.0400,0.0533,true,true,true,1.5,hours\r\n',
  );
});

test('S3-106 an unknown id is null, and so is one that cannot be an id', async () => {
  await using folder = await resultsFolder();
  expect(await folder.store.loadComparison('nobody')).toBeNull();
  expect(await folder.store.loadComparison('../s-1')).toBeNull();
  expect(await folder.store.loadPlan('nobody')).toBeNull();
});

test('S3-107 S3-108 C31 sessions are listed by id, and no result file among them, not even of a session named session', async () => {
  await using folder = await resultsFolder();
  for (const id of ['b', 'a', 'session', 'session__x', 'B']) {
    await folder.store.saveComparison(comparison({ session_id: id }));
    await folder.store.saveResult(result({ session_id: id }));
  }
  await writeFile(join(folder.path, 'session__session__2026-01-01T00:00:00.json'), '{}');
  await writeFile(join(folder.path, 'session__half.json.part'), '{');
  await mkdir(join(folder.path, '20260101-run'));
  expect(await folder.store.listComparisons()).toEqual(['B', 'a', 'b', 'session', 'session__x']);
  expect((await folder.store.loadComparison('session'))?.results).toHaveLength(1);
  expect(await comparisonStore(join(folder.path, 'nowhere')).listComparisons()).toEqual([]);
});

test('S3-109 nothing is written or read outside of the folder', async () => {
  await using folder = await resultsFolder();
  const inside = comparisonStore(join(folder.path, 'inside'));
  for (const session_id of ['../x', '..', 'a/b', 'a\\b', '', '.', 'x'.repeat(65)]) {
    await expect(inside.saveResult(result({ session_id }))).rejects.toThrow(ExecutionError);
    await expect(inside.saveComparison({ ...comparison(), session_id })).rejects.toThrow(ExecutionError);
    await expect(inside.loadPlan(session_id)).rejects.toThrow(ExecutionError);
  }
  expect(await readdir(folder.path)).toEqual([]);
});

test('S3-73 a file that is no session is a fault that names it', async () => {
  await using folder = await resultsFolder();
  await writeFile(join(folder.path, 'session__broken.json'), '{"session_id": 5');
  await expect(folder.store.loadComparison('broken')).rejects.toThrow(/session__broken\.json cannot be read/);
});
