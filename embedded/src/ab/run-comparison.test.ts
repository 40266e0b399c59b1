import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ABSession } from '@proofmark/contracts/ab-session';
import { describe, expect, test } from 'vitest';
import { countedTime, type ModelCall, portsOf, resultsFolder, runStory, scriptedModels } from './ab-world.fixture.ts';
import { ExecutionError } from './comparison-store.ts';
import { resumeComparison } from './open-comparison.ts';
import { runComparison } from './run-comparison.ts';

const overlaps = (calls: readonly ModelCall[]): boolean =>
  calls.some((call) =>
    calls.some((other) => other !== call && other.startMs < call.endMs && call.startMs < other.endMs),
  );

const answers = ({ results }: ABSession): string[][] =>
  results.map(({ question, baseline, candidate }) => [question, baseline.response, candidate.response]);

describe('one pair', () => {
  test('S3-01 S3-05 S3-12 S3-13 S3-14 S3-17 S3-18 S3-19 S3-52 both agents answer, measured by what their model said', async () => {
    const { comparison } = await runStory({ turn: (model) => ({ text: model === 'alpha' ? 'alpha' : 'the beta' }) });
    expect(comparison.results).toHaveLength(1);
    expect(comparison.results[0]).toMatchObject({
      question: 'One?',
      baseline: { response: 'alpha', prompt_tokens: 60, completion_tokens: 5, model: 'alpha-2026', error: null },
      candidate: { response: 'the beta', prompt_tokens: 60, completion_tokens: 8, model: 'beta-2026', error: null },
    });
    expect(comparison.results[0]?.baseline.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test('S3-26 S3-27 S3-29 S3-30 S3-31 S3-32 a result knows its sides, its time, its session, its context and what its case says of itself', async () => {
    const { comparison } = await runStory({ questions: ['One', 'Two'], settings: { context_tokens: 812 } });
    for (const result of comparison.results) {
      expect(result).toMatchObject({ session_id: 's-1', context_tokens: 812, baseline: { response: 'alpha says' } });
      expect(new Date(result.timestamp).toISOString()).toBe(result.timestamp);
    }
    expect(comparison.results[0]?.metadata).toMatchObject({
      suite: 'Questions',
      case: 'One',
      repetition: 1,
      difficulty: 'hard',
      tags: ['short'],
      order: 'baseline_first',
      baseline_status: 'passed',
      candidate_status: 'failed',
    });
  });

  test('S3-111 an answer is kept whole, however long', async () => {
    const text = `${'x'.repeat(50_000)}\u{0}end`;
    const { comparison } = await runStory({ turn: () => ({ text }) });
    expect(comparison.results[0]?.baseline.response).toBe(text);
  });

  test('S3-16 S3-51 latency is the time of the answer on a clock that nobody sets', async () => {
    const time = countedTime();
    let hours = 0;
    const now = () => {
      hours += 1;
      return new Date(Date.UTC(2026, 0, 1, hours));
    };
    const { comparison } = await runStory({
      questions: ['One', 'Two', 'Three'],
      turn: (model) => ({ delayMs: model === 'alpha' ? 300.25 : 20.5 }),
      time: { ...time, clock: { ...time.clock, now } },
    });
    expect(comparison.results.map(({ baseline, candidate }) => [baseline.latency_ms, candidate.latency_ms])).toEqual(
      Array(3).fill([300.25, 20.5]),
    );
  });
});

/** What passed between the end of the first call and the begin of the second. */
const restMs = ([first, second]: readonly ModelCall[]): number => (second?.startMs ?? 0) - (first?.endMs ?? 0);

describe('order and pause', () => {
  test.each([
    ['S3-02 S3-43 S3-46 by default the sides take turns in being first', {}, 'alternating', ['beta', 'alpha']],
    [
      'S3-02 S3-43 the baseline can be asked first always',
      { order: 'baseline_first' },
      'sequential',
      ['alpha', 'beta'],
    ],
  ] as const)('%s, 100 ms pass between the two, and nothing overlaps', async (_, settings, strategy, second) => {
    const { calls, comparison } = await runStory({
      questions: ['One', 'Two'],
      settings,
      turn: () => ({ delayMs: 10 }),
      time: countedTime(),
    });
    expect(calls.map(({ model }) => model)).toEqual(['alpha', 'beta', ...second]);
    expect(overlaps(calls)).toBe(false);
    expect([restMs(calls), restMs(calls.slice(2))]).toEqual([100, 100]);
    expect(comparison.environment).toMatchObject({ strategy, cache_reset_ms: '100' });
  });

  test('S3-02 the pause is no shorter on the clock of the machine, whose timers may end early', async () => {
    const { calls } = await runStory();
    expect(restMs(calls)).toBeGreaterThanOrEqual(100);
  });

  test.each([250, 0])('S3-45 the pause can be set, to %i ms', async (cache_reset_ms) => {
    const { calls } = await runStory({ settings: { cache_reset_ms }, time: countedTime() });
    expect(restMs(calls)).toBe(cache_reset_ms);
  });

  test('S3-47 S3-49 C28 a random order is that of its seed, is kept with each row, and changes no label', async () => {
    const questions = Array.from({ length: 12 }, (_, index) => `Q${index}`);
    const settings = { order_seed: 'a seed', cache_reset_ms: 0 };
    const { comparison, calls } = await runStory({ questions, settings });
    const orders = comparison.results.map(({ metadata }) => metadata.order);
    expect(new Set(orders)).toEqual(new Set(['baseline_first', 'candidate_first']));
    expect(calls.filter((_, index) => index % 2 === 0).map(({ model }) => model)).toEqual(
      orders.map((order) => (order === 'baseline_first' ? 'alpha' : 'beta')),
    );
    expect(answers(comparison)).toEqual(questions.map((name) => [`${name}?`, 'alpha says', 'beta says']));
    expect(comparison.environment.order_seed).toBe('a seed');
    const again = await runStory({ questions, settings });
    expect(again.comparison.results.map(({ metadata }) => metadata.order)).toEqual(orders);
  });

  test('S3-03 S3-48 S3-58 S3-59 S3-61 C30 both at once takes at most 60 percent of the time, and the rows look the same', async () => {
    const questions = ['One', 'Two', 'Three'];
    const timed = async (concurrent: boolean) => {
      const story = await runStory({
        questions,
        settings: { concurrent },
        turn: () => ({ delayMs: 300 }),
        time: countedTime(),
      });
      const startMs = Math.min(...story.calls.map((call) => call.startMs));
      return { ...story, ms: Math.max(...story.calls.map((call) => call.endMs)) - startMs };
    };
    const sequential = await timed(false);
    const concurrent = await timed(true);
    expect(overlaps(concurrent.calls)).toBe(true);
    expect(concurrent.ms).toBeLessThan(0.6 * sequential.ms);
    const keys = ({ results }: ABSession) => results.map((result) => Object.keys(result.metadata));
    expect(keys(concurrent.comparison)).toEqual(keys(sequential.comparison));
    expect(answers(concurrent.comparison)).toEqual(answers(sequential.comparison));
  });

  test('S3-114 the same inputs give the same results apart from times', async () => {
    const withoutTimes = (comparison: ABSession): unknown =>
      JSON.parse(
        JSON.stringify(comparison, (key, value: unknown) => (/timestamp|latency|_time$/.test(key) ? undefined : value)),
      );
    const [first, second] = [
      await runStory({ questions: ['One', 'Two'] }),
      await runStory({ questions: ['One', 'Two'] }),
    ];
    expect(withoutTimes(first.comparison)).toEqual(withoutTimes(second.comparison));
  });
});

describe('failures', () => {
  test('S3-09 S3-20 S3-50 S3-53 S3-56 an agent that fails twice is asked three times, and only the third counts as latency', async () => {
    const { comparison, calls } = await runStory({
      turn: (model, earlier) => (model === 'alpha' && earlier < 2 ? { fails: 'busy', delayMs: 200 } : { delayMs: 20 }),
      time: countedTime(),
    });
    const baseline = comparison.results[0]?.baseline;
    expect(baseline).toMatchObject({ retry_count: 2, error: null, response: 'alpha says' });
    const [first, second, third] = calls.filter(({ model }) => model === 'alpha');
    expect(baseline?.latency_ms).toBe(20);
    const pauses = [(second?.startMs ?? 0) - (first?.endMs ?? 0), (third?.startMs ?? 0) - (second?.endMs ?? 0)];
    expect(pauses).toEqual([100, 200]);
  });

  test('S3-54 S3-55 S3-60 S3-70 S3-71 S3-112 C06 what fails for good is a response with an error, and the other side is kept', async () => {
    const { comparison, calls } = await runStory({
      questions: ['One', 'Two'],
      turn: (model) => (model === 'beta' ? { fails: 'the provider is down' } : {}),
    });
    expect(calls.filter(({ model }) => model === 'beta')).toHaveLength(6);
    for (const { baseline, candidate } of comparison.results) {
      expect(baseline).toMatchObject({ response: 'alpha says', error: null });
      expect(candidate).toMatchObject({
        response: '',
        prompt_tokens: 0,
        completion_tokens: 0,
        latency_ms: 0,
        retry_count: 2,
        model: 'beta',
        error: 'Failed after 3 attempts: the provider is down',
      });
    }
    expect(comparison.end_time).not.toBeNull();
  });

  test('S3-65 S3-69 S3-112 C46 a try that takes too long is a failed one, and is tried again', async () => {
    const { comparison } = await runStory({
      timeoutMs: 60,
      turn: (model, earlier) => ({ hangs: model === 'beta' || earlier === 0 }),
    });
    expect(comparison.results[0]?.baseline).toMatchObject({ response: 'alpha says', retry_count: 1, error: null });
    expect(comparison.results[0]?.candidate.error).toBe('Failed after 3 attempts: Timeout after 60ms');
  });

  test('S3-72 the pauses grow by the factor that is set', async () => {
    const { calls } = await runStory({
      settings: { backoff_factor: 3 },
      turn: (model) => (model === 'alpha' ? { fails: 'busy' } : {}),
      time: countedTime(),
    });
    const [first, second, third] = calls;
    expect([
      restMs([first, second].flatMap((call) => call ?? [])),
      restMs([second, third].flatMap((call) => call ?? [])),
    ]).toEqual([100, 300]);
  });

  test('S3-72 how often and how patiently is asked can be set', async () => {
    const { comparison, calls } = await runStory({
      settings: { max_attempts: 2, initial_delay_ms: 300 },
      turn: () => ({ fails: 'busy' }),
      time: countedTime(),
    });
    expect(calls).toHaveLength(4);
    expect(comparison.results[0]?.baseline.error).toBe('Failed after 2 attempts: busy');
    expect(restMs(calls)).toBe(300);
  });

  test('an agent that can not be asked at all is an error of its side', async () => {
    const { comparison } = await runStory({ turn: () => ({ fails: 'no such model', isTransient: false }) });
    expect(comparison.results[0]?.baseline).toMatchObject({ error: 'no such model', retry_count: 0 });
  });

  test('S3-73 a fault of the engine is an ExecutionError that says what could not be done', async () => {
    await using folder = await resultsFolder();
    const store = { ...folder.store, saveResult: () => Promise.reject(new Error('the disk is full')) };
    await expect(runStory({ store })).rejects.toThrow(ExecutionError);
    await expect(runStory({ store: { ...store, loadComparison: async () => null } })).rejects.toThrow(
      'The session broke off: the disk is full',
    );
  });
});

describe('statistics', () => {
  test('S3-74 S3-75 S3-76 S3-77 S3-78 S3-79 S3-80 S3-81 S3-113 every try is counted, for the session and for each model', async () => {
    await using folder = await resultsFolder();
    const { comparison } = await runStory({
      store: folder.store,
      timeoutMs: 60,
      turn: (model, earlier) => {
        if (model === 'beta')
          return earlier === 2
            ? { fails: 'wrong key', errorClass: 'AuthenticationError' }
            : { fails: 'busy', errorClass: 'ServerError' };
        return earlier === 0 ? { hangs: true } : {};
      },
    });
    expect(comparison.results[0]?.metadata).toMatchObject({ candidate_error_type: 'AuthenticationError' });
    expect(comparison.results[0]?.metadata).not.toHaveProperty('baseline_error_type');
    const stats = JSON.parse(await readFile(join(folder.path, 's-1/statistics.json'), 'utf8'));
    expect(stats).toMatchObject({
      total_invocations: 5,
      successful_invocations: 1,
      failed_invocations: 4,
      success_rate: 0.2,
      retry_count: { 1: 1 },
      timeouts: { alpha: 1 },
      errors_by_type: { ServerError: 2, AuthenticationError: 1 },
      models: {
        alpha: { total_invocations: 2, successful_invocations: 1, failed_invocations: 1, success_rate: 0.5 },
        beta: {
          total_invocations: 3,
          successful_invocations: 0,
          errors_by_type: { ServerError: 2, AuthenticationError: 1 },
          success_rate: 0,
        },
      },
    });
  });
});

describe('what is on disk', () => {
  test('S3-07 S3-44 S3-57 each result is a file before anybody is told of it', async () => {
    await using folder = await resultsFolder();
    const filesAtPair: string[][] = [];
    const listed: Promise<void>[] = [];
    await runStory({
      store: folder.store,
      questions: ['One', 'Two'],
      settings: { cache_reset_ms: 0 },
      onPair: () => {
        listed.push(readdir(join(folder.path, 's-1')).then((names) => void filesAtPair.push(names)));
      },
    });
    await Promise.all(listed);
    expect(filesAtPair.map((names) => names.filter((name) => name.startsWith('s-1__')).length)).toEqual([1, 2]);
  });

  test('S3-84 an interrupted session stays open, and resumed it asks only what is missing', async () => {
    await using folder = await resultsFolder();
    const controller = new AbortController();
    const questions = ['One', 'Two', 'Three'];
    const settings = { cache_reset_ms: 0, order_seed: 'kept' };
    const { comparison } = await runStory({
      store: folder.store,
      questions,
      settings,
      signal: controller.signal,
      onPair: ({ done, total }) => {
        expect(total).toBe(3);
        if (done === 2) controller.abort();
      },
    });
    expect(comparison).toMatchObject({ end_time: null, results: [{ question: 'One?' }, { question: 'Two?' }] });
    const opened = await resumeComparison(folder.store, 's-1');
    if (!opened.ok) throw new Error(opened.reason);
    const { models, calls } = scriptedModels(() => ({}));
    const ended = await runComparison({
      store: folder.store,
      comparison: opened.comparison,
      plan: opened.plan,
      ports: portsOf(models),
      signal: new AbortController().signal,
    });
    expect(calls.map(({ question }) => question)).toEqual(['Three?', 'Three?']);
    expect(ended.results.map(({ question }) => question)).toEqual(['One?', 'Two?', 'Three?']);
    expect(ended.start_time).toBe(comparison.start_time);
    expect(ended.end_time).not.toBeNull();
    expect(await folder.store.loadComparison('s-1')).toEqual(ended);
  });

  test('a pair that was cut in the middle is asked again as a whole', async () => {
    await using folder = await resultsFolder();
    const controller = new AbortController();
    const { comparison, calls } = await runStory({
      store: folder.store,
      signal: controller.signal,
      turn: (model) => {
        if (model === 'beta') controller.abort();
        return { hangs: model === 'beta' };
      },
    });
    expect(calls.map(({ model }) => model)).toEqual(['alpha', 'beta']);
    expect(comparison).toMatchObject({ results: [], end_time: null });
  });

  test('many pairs at once lose no result and no time is given twice', async () => {
    await using folder = await resultsFolder();
    const questions = Array.from({ length: 30 }, (_, index) => `Q${index}`);
    const settings = { cache_reset_ms: 0, pairs_at_once: 10, concurrent: true };
    const { comparison } = await runStory({ store: folder.store, questions, settings });
    expect(new Set(comparison.results.map(({ timestamp }) => timestamp)).size).toBe(30);
    const files = (await readdir(join(folder.path, 's-1'))).filter((name) => name.startsWith('s-1__'));
    expect(files).toHaveLength(30);
    expect(await folder.store.loadComparison('s-1')).toEqual(comparison);
  });

  test('an id that is taken is not written over', async () => {
    await using folder = await resultsFolder();
    await runStory({ store: folder.store });
    await expect(runStory({ store: folder.store })).rejects.toThrow('There is a session s-1 already');
  });
});
