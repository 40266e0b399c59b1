import { expect, test } from 'vitest';
import { planRun } from './plan-run.ts';
import type { PlannedSuiteRun } from './plan-suite-runs.ts';
import type { RunRequest } from './run-request.ts';
import {
  type SampleSuite,
  sampleCase,
  sampleDefinitions,
  sampleRequest,
  sampleSuite,
} from './sample-definitions.fixture.ts';

function suiteRun(sample: SampleSuite = {}, request: Partial<RunRequest> = {}, project: object = {}): PlannedSuiteRun {
  const definitions = sampleDefinitions([sampleSuite(sample)], project);
  const result = planRun({ definitions, request: sampleRequest(request), runSeed: 's' });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const [run] = result.plan.suiteRuns;
  if (run === undefined) throw new Error('no suite run');
  return run;
}
const agentHash = (...args: Parameters<typeof suiteRun>) => suiteRun(...args).agentHash;
const caseHash = (testCase: object) =>
  suiteRun({ suite: { cases: [sampleCase('Hours', testCase)] } }).testRuns[0]?.caseHash;
const instrumentHash = (suite: object, project: object = {}) =>
  suiteRun({ suite }, {}, project).testRuns[0]?.instrumentHash;
const plain = { AIConfiguration: 'alpha', Temperature: 0.7, Day: 'Monday' };

test('the version of an agent is its instructions, tools, driver and model, not its name (S0-02, S0-03, S0-04)', () => {
  expect(agentHash({ agent: { name: 'Other', description: 'x' } })).toBe(agentHash());
  expect(agentHash({ agent: { instructions: 'Other' } })).not.toBe(agentHash());
  expect(agentHash({ agent: { tools: [{ name: 't' }] } })).not.toBe(agentHash());
  expect(agentHash({ agent: { ai_configuration: 'beta' } })).not.toBe(agentHash());
  expect(agentHash({ agent: { driver: { type: 'command', command: ['x'] } } })).not.toBe(agentHash());
});

test('a model that changes behind the name of its configuration is a changed agent, a price or a limit is not', () => {
  const project = (alpha: object) => ({
    ai_configurations: { alpha: { provider: 'openai', model: 'alpha-1', temperature: 0.2, ...alpha } },
  });
  expect(agentHash({}, {}, project({ price: { input: 9, output: 9 } }))).toBe(agentHash());
  expect(agentHash({}, {}, project({ limits: { requests_per_minute: 5 } }))).toBe(agentHash());
  expect(agentHash({}, {}, project({ model: 'alpha-2' }))).not.toBe(agentHash());
});

test('a model that is asked for a stream is a changed agent and a changed judge, one that is told not to stream is not', () => {
  const project = (alpha: object) => ({
    ai_configurations: { alpha: { provider: 'openai', model: 'alpha-1', temperature: 0.2, ...alpha } },
  });
  expect(agentHash({}, {}, project({ stream: false }))).toBe(agentHash());
  expect(agentHash({}, {}, project({ stream: true }))).not.toBe(agentHash());
  const judged = {
    cases: [sampleCase('Hours', { expected_behavior: { checks: [{ type: 'llm_judge', expected_answer: 'x' }] } })],
    judge: { ai_configuration: 'alpha' },
  };
  expect(instrumentHash(judged, project({ stream: false }))).toBe(instrumentHash(judged, project({})));
  expect(instrumentHash(judged, project({ stream: true }))).not.toBe(instrumentHash(judged, project({})));
});

test('values of suite, test and type belong to the agent, run-level values to the setting', () => {
  expect(agentHash({ suite: { variables: { Temperature: 0 } } })).not.toBe(agentHash());
  expect(
    agentHash({ suite: { cases: [sampleCase('Hours', { variables: { Temperature: { defaultValue: 0 } } })] } }),
  ).not.toBe(agentHash());
  expect(suiteRun({}, { variables: plain }).settingKey).toBe(
    '{"AIConfiguration":"alpha","Day":"Monday","Temperature":0.7}',
  );
  expect(suiteRun({ suite: { variables: plain } }).settingKey).toBe('{}');
});

test('neither the selection nor a new case without overrides changes the version of the agent', () => {
  const cases = [sampleCase('Hours', { variables: { Day: { defaultValue: 'Sunday' } } }), sampleCase('Other')];
  const whole = agentHash({ suite: { cases } });
  expect(agentHash({ suite: { cases } }, { cases: ['Other'] })).toBe(whole);
  expect(agentHash({ suite: { cases: [...cases, sampleCase('New', { status: 'draft' })] } })).toBe(whole);
});

test('a case is its task, not its description, tags, difficulty or place', () => {
  expect(caseHash({ description: 'x', tags: ['a'], difficulty: 'hard' })).toBe(caseHash({}));
  expect(caseHash({ input: 'Are you open on Monday?' })).toBe(caseHash({}));
  expect(caseHash({ input: 'Open?' })).not.toBe(caseHash({}));
  expect(caseHash({ max_turns: 3 })).not.toBe(caseHash({}));
  expect(caseHash({ expected_tool_calls: [{ tool: 't' }] })).not.toBe(caseHash({}));
});

test('a changed document is a changed case', () => {
  const cases = [sampleCase('Hours', { files: [{ path: 'a.txt', type: 'text' }] })];
  const hash = (digest: string | null) => {
    const definitions = sampleDefinitions([sampleSuite({ suite: { cases } })]);
    const result = planRun({ definitions, request: sampleRequest(), runSeed: 's', fileDigest: () => digest });
    return result.ok && result.plan.suiteRuns[0]?.testRuns[0]?.caseHash;
  };
  expect(hash('1')).toBe(hash('1'));
  expect(new Set([hash('1'), hash('2'), hash(null)]).size).toBe(3);
});

test('the work of a case says what is in its local files, on both sides what is there at the head', () => {
  const cases = [
    sampleCase('Hours', {
      files: [
        { path: 'a.txt', type: 'text' },
        { path: 'unknown.txt', type: 'text' },
        { url: 'https://example.com/b.txt', type: 'text' },
      ],
    }),
  ];
  const definitions = sampleDefinitions([sampleSuite({ suite: { cases } })]);
  const at = (digest: string) => (_suite: string, file: { path?: string | undefined; url?: string | undefined }) =>
    file.path === 'unknown.txt' ? null : digest;
  const planned = planRun({
    definitions,
    baselineDefinitions: definitions,
    request: sampleRequest({ variants: ['baseline', 'candidate'] }),
    runSeed: 's',
    fileDigest: at('1'.repeat(64)),
  });
  const contents = (variant: string) =>
    planned.ok && planned.plan.suiteRuns.find((one) => one.variant === variant)?.testRuns[0]?.work?.contents;
  expect(contents('candidate')).toEqual([{ path: 'a.txt', sha256: '1'.repeat(64) }]);
  expect(contents('baseline')).toEqual(contents('candidate'));
});

test('another judge concerns only cases that are judged', () => {
  const judged = {
    cases: [sampleCase('Hours', { expected_behavior: { checks: [{ type: 'llm_judge', expected_answer: 'x' }] } })],
  };
  const judge = (name: string) => ({ judge: { ai_configuration: name } });
  expect(instrumentHash({ ...judged, ...judge('alpha') })).not.toBe(instrumentHash({ ...judged, ...judge('beta') }));
  expect(instrumentHash(judge('alpha'))).toBe(instrumentHash(judge('beta')));
});

test('mocks, limits and the model of a metric belong to the instrument', () => {
  expect(instrumentHash({ mocks: [{ tool: 't', returns: 1 }] })).not.toBe(instrumentHash({}));
  expect(instrumentHash({}, { limits: { max_turns: 3 } })).not.toBe(instrumentHash({}));
  const metrics = (model: string) => ({ evaluations: { metrics: [{ metric: 'groundedness', model }] } });
  expect(instrumentHash(metrics('alpha'))).not.toBe(instrumentHash(metrics('beta')));
});

test('instructions, model and recorded answers of a simulated tool belong to the instrument, the path of the cassette does not', () => {
  const entry = (key: string, result: string) => ({ key: key.repeat(64), tool: 't', args: {}, result });
  const both = [entry('a', 'x'), entry('b', 'y')];
  const hash = ({ says = 'Finds', model = 'alpha', path = 'a.jsonl', cassette = both }) =>
    suiteRun({
      suite: {
        mocks: [{ tool: 't', simulate: { instructions: says } }],
        simulator: { ai_configuration: model },
        mock_settings: { cassette: path },
      },
      cassette,
    }).testRuns[0]?.instrumentHash;
  expect(hash({ path: 'b.jsonl', cassette: [entry('b', 'y'), entry('a', 'x')] })).toBe(hash({}));
  const changed = [
    { says: 'Loses' },
    { model: 'beta' },
    { cassette: [entry('a', 'x')] },
    { cassette: [entry('a', 'x'), entry('b', 'z')] },
  ];
  expect(new Set([hash({}), ...changed.map(hash)]).size).toBe(5);
});

test('the place where the base version is deployed is not part of the version', () => {
  const driver = { type: 'http', url: 'https://a.example.com' };
  expect(agentHash({ agent: { driver: { ...driver, base_endpoint: 'https://b.example.com' } } })).toBe(
    agentHash({ agent: { driver } }),
  );
});
