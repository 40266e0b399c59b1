import { expect, test } from 'vitest';
import { fingerprintOf } from './fingerprint.ts';
import { planRun } from './plan-run.ts';
import type { PlanInput, RunRequest } from './run-request.ts';
import {
  type SampleSuite,
  sampleCase,
  sampleDefinitions,
  sampleRequest,
  sampleSuite,
} from './sample-definitions.fixture.ts';

interface Sketch extends SampleSuite {
  request?: Partial<RunRequest>;
  fileDigest?: PlanInput['fileDigest'];
}

function printOf({ request = {}, fileDigest = () => null, ...sample }: Sketch = {}): string | null {
  const definitions = sampleDefinitions([sampleSuite(sample)]);
  const result = planRun({ definitions, request: sampleRequest(request), runSeed: 's', fileDigest });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const [run] = result.plan.suiteRuns;
  if (run === undefined) throw new Error('no suite run');
  return fingerprintOf(run);
}

test('equal content has an equal fingerprint, however often it runs and whatever its agent is called (3.6)', () => {
  expect(printOf()).toMatch(/^[0-9a-f]{64}$/);
  expect(printOf({ request: { repetitions: 5 } })).toBe(printOf());
  expect(printOf({ agent: { name: 'Another name' } })).toBe(printOf());
});

test.each<[what: string, Sketch]>([
  ['the agent', { agent: { instructions: 'Be long.' } }],
  ['a case', { suite: { cases: [sampleCase('Hours', { input: 'When?' })] } }],
  ['the cases', { suite: { cases: [sampleCase('Hours'), sampleCase('More')] } }],
  ['what measures', { suite: { mocks: [{ tool: 'lookup', returns: 1 }] } }],
  ['a value of the run', { request: { variables: { Temperature: 0 } } }],
])('a change of %s is another content', (_what, changed) => {
  expect(printOf(changed)).not.toBe(printOf());
  expect(printOf(changed)).not.toBeNull();
});

test('an agent whose code stands in no definition has none: nobody knows whether it changed', () => {
  expect(printOf({ agent: { driver: { type: 'http', url: 'https://agent.example.com' } } })).toBeNull();
  expect(printOf({ agent: { driver: { type: 'command', command: ['node', 'agent.js'] } } })).toBeNull();
});

test('a file counts by what is in it, and one that is not known leaves no fingerprint', () => {
  const withFile = { suite: { cases: [sampleCase('Hours', { files: [{ path: 'a.pdf', type: 'pdf' }] })] } };
  const digest = (letter: string) => () => letter.repeat(64);
  expect(printOf(withFile)).toBeNull();
  expect(printOf({ ...withFile, fileDigest: digest('a') })).not.toBeNull();
  expect(printOf({ ...withFile, fileDigest: digest('a') })).not.toBe(printOf({ ...withFile, fileDigest: digest('b') }));
});
