import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../stack/processes.ts';
import { runCli } from '../stack/run-cli.ts';
import { filesOf } from './load-page.ts';
import { pages } from './pages.ts';

const guides = ['connect-your-agent', 'checks-in-code', 'data', 'conversations', 'coming-from-promptfoo'];
const pageOf = (name: string) => {
  const page = pages.find(({ path }) => path === `docs/${name}.md`);
  if (page === undefined) throw new Error(`docs/${name}.md is not there`);
  return page;
};

test.each(guides)('%s is read in ten minutes', (name) => {
  expect(pageOf(name).text.split(/\s+/).length).toBeLessThan(1_500);
});

test('an agent is connected in one of six ways, each in a section of its own', () => {
  const sections = Array.from(pageOf('connect-your-agent').text.matchAll(/^## (.+)$/gm), ([, title]) => title);
  const ways = ['A service', 'A known server', 'A stream', 'A function', 'A program', 'Tools of an MCP server'];
  expect(sections).toEqual(expect.arrayContaining(ways));
});

/** Asks an agent of the page that has no suite there. */
const suiteOf = (agent: string): string => `name: Asks ${agent}
agent: ../agents/${agent}.agent.yaml
mocks: [{ tool: find_order, returns: { arrives: Friday }, times: always }]
cases:
  - { name: Order, input: A-1, expected_tools: [find_order], expected_behavior: { checks: [{ type: contains_phrases, phrases: [Friday] }] } }
`;

/** The one call of promptfoo's package that a page shows. */
const providerOfAnother = `export const loadApiProvider = async (id) => ({
  callApi: async (prompt) => (id.startsWith('anthropic:') ? { output: prompt + ' arrives on Friday' } : { error: id }),
});
`;

test('whatever these pages show runs as it stands there, but for what asks a server of the reader', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-guides-'));
  try {
    const files = new Map(guides.flatMap((name) => [...filesOf(pageOf(name))]));
    for (const agent of ['function', 'program']) files.set(`evals/${agent}.suite.yaml`, suiteOf(agent));
    files.set('evals/beside.suite.yaml', suiteOf('beside').replace('expected_tools: [find_order], ', ''));
    files.set('node_modules/promptfoo/index.js', providerOfAnother);
    files.set('node_modules/promptfoo/package.json', '{ "type": "module", "exports": "./index.js" }');
    for (const [path, text] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const helper = 'proofmark_agent.py';
    await cp(join(repositoryRoot, 'examples/agents/python', helper), join(folder, 'agents', helper));
    const suites = [...files].filter(([path, text]) => path.endsWith('.suite.yaml') && !text.includes('example.com'));
    const names = suites.map(([path]) => path.replace(/^evals\/|\.suite\.yaml$/g, ''));
    expect(names.toSorted()).toEqual([
      'beside',
      'function',
      'languages',
      'program',
      'refund',
      'refund-talk',
      'refunds',
    ]);
    const ran = await runCli(['run', ...suites.map(([path]) => path)], { folder });
    expect([ran.code, ran.stdout + ran.stderr]).toEqual([0, expect.not.stringMatching(/failed|error/)]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
