import { describe, expect, test } from 'vitest';
import { sampleCase, sampleSuite } from '../plan/sample-definitions.fixture.ts';
import { affectedSuites, type Change } from './affected-suites.ts';

const support = sampleSuite({ path: 'evals/support.suite.yaml', suite: { name: 'Support' } });
support.dependsOn.push('agents/support.agent.yaml', 'agents/prompt.md');
const billing = sampleSuite({
  path: 'evals/billing.suite.yaml',
  suite: {
    name: 'Billing',
    watch: ['prices/**/*.json', '../shared/*.md'],
    cases: [sampleCase('Invoice', { files: [{ path: 'docs/invoice.pdf', type: 'pdf' }] })],
  },
});

const affectedBy = (change: Partial<Change>, suites = [support, billing]) =>
  affectedSuites(suites, {
    change: { paths: [], isComplete: true, ...change },
    workflowPath: '.github/workflows/gate.yml',
  }).map(({ suite }) => suite.name);

describe('a suite is affected by a change of', () => {
  test.for([
    ['its own file', 'evals/support.suite.yaml', ['Support']],
    ['the file of its agent', 'agents/support.agent.yaml', ['Support']],
    ['a file that the agent names', 'agents/prompt.md', ['Support']],
    ['a document of one of its cases', 'docs/invoice.pdf', ['Billing']],
    ['a file that it watches', 'prices/eu/de.json', ['Billing']],
    ['a file that it watches from its folder', 'shared/terms.md', ['Billing']],
    ['the project file', 'proofmark.yaml', ['Support', 'Billing']],
    ['the workflow that asks', '.github/workflows/gate.yml', ['Support', 'Billing']],
    ['nothing it knows', 'README.md', []],
    ['another workflow', '.github/workflows/deploy.yml', []],
  ] as const)('%s', ([_what, path, expected]) => {
    expect(affectedBy({ paths: ['LICENSE', path] })).toEqual(expected);
  });
});

test('a list with gaps affects every suite, an empty one none', () => {
  expect(affectedBy({ isComplete: false })).toEqual(['Support', 'Billing']);
  expect(affectedBy({})).toEqual([]);
});

test.for([
  { type: 'command', command: ['./agent'] },
  { type: 'http', url: 'http://localhost:1' },
])('an agent whose code is unknown ($type) is always affected, unless its suite says what to watch', (driver) => {
  const agent = { driver, ai_configuration: null };
  const blind = sampleSuite({ agent });
  const watching = sampleSuite({ agent, suite: { watch: ['src/**'] }, path: 'watching.suite.yaml' });
  expect(affectedBy({ paths: ['README.md'] }, [blind])).toEqual(['Support']);
  expect(affectedBy({ paths: ['README.md'] }, [watching])).toEqual([]);
  expect(affectedBy({ paths: ['src/deep/agent.py'] }, [watching])).toEqual(['Support']);
});
