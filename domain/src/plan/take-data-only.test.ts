import { expect, test } from 'vitest';
import { sampleCase, sampleSuite } from './sample-definitions.fixture.ts';
import { takeDataOnly } from './take-data-only.ts';

const base = sampleSuite({
  suite: { name: 'Support', judge: { ai_configuration: 'judge' }, repetitions: 3, cases: [sampleCase('Hours')] },
  agent: { instructions: 'Be helpful.', ai_configuration: 'cheap', driver: { type: 'openai' } },
});
const project = (suites: (typeof base)[], budget: number) => ({
  suites,
  project: { limits: { budget_usd: budget } } as never, // no other part of a project is looked at
});

test('of a fork come cases, instructions and tools; driver, models, judge, gate and limits are those of the base', () => {
  const head = sampleSuite({
    suite: {
      name: 'Support',
      judge: { ai_configuration: 'mine' },
      repetitions: 100,
      is_enabled: false,
      gate: { ...base.suite.gate, fail_on: [] },
      mock_settings: { ...base.suite.mock_settings, mode: 'live' },
      cases: [sampleCase('Hours'), sampleCase('Returns')],
    },
    agent: {
      instructions: 'Be kind.',
      ai_configuration: 'expensive',
      driver: { type: 'http', url: 'http://169.254.169.254/latest' },
      tools: [{ name: 'lookup', description: 'Looks up.', parameters: {}, retrieval: false }],
    },
  });
  const taken = takeDataOnly(project([head], 1_000), project([base], 5));
  expect(taken.project.limits.budget_usd).toBe(5);
  const [{ suite, agent } = base] = taken.suites;
  expect(suite.cases.map(({ name }) => name)).toEqual(['Hours', 'Returns']);
  expect(agent).toMatchObject({ instructions: 'Be kind.', tools: [{ name: 'lookup' }] });
  expect(agent).toMatchObject({ ai_configuration: 'cheap', driver: { type: 'openai' } });
  expect(suite).toMatchObject({ judge: { ai_configuration: 'judge' }, repetitions: 3, is_enabled: true });
  expect(suite.gate).toEqual(base.suite.gate);
  expect(suite.mock_settings.mode).toBe('mock');
});

test('a suite that only the fork has is not run', () => {
  const own = sampleSuite({ path: 'evals/own.suite.yaml', suite: { name: 'Own' } });
  expect(takeDataOnly(project([own], 1), project([base], 1)).suites).toEqual([]);
});

test('a case of a fork names no address and no model that the base does not, and its suite no time', () => {
  const url = 'https://files.example/hours.pdf';
  const known = sampleCase('Hours', { files: [{ url, type: 'pdf' }] });
  const before = sampleSuite({ suite: { name: 'Support', schedule_type: 'hourly', cases: [known] } });
  const inside = 'https://wiki.example/salaries.pdf';
  const files = [url, inside].map((one) => ({ url: one, type: 'pdf' }));
  const variables = { AIConfiguration: { defaultValue: 'beta', locked: true }, Day: { defaultValue: 'Sunday' } };
  const head = sampleSuite({ suite: { name: 'Mine', cases: [sampleCase('Hours', { files, variables })] } });
  const [{ suite } = before] = takeDataOnly(project([head], 1), project([before], 1)).suites;
  expect(suite.cases[0]?.files.map((one) => one.url)).toEqual([url]);
  expect(suite.cases[0]?.variables).toEqual({ Day: { defaultValue: 'Sunday' } });
  expect(suite.schedule_type).toBe('manual');
});
