import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inheritedEnvironment } from '../stack/environment.ts';
import { type ModelServer, startModelServer } from '../stack/model-server.ts';
import { runCli } from '../stack/run-cli.ts';
import { startRunningProduct } from './running-product.ts';

const root = join(import.meta.dirname, '../../examples/agents');
const patient = { timeout: 300_000 };
const token = 'shop-token-0123456789';

/** An example with a server of its own, at an address that is free. */
const services = { http: 'http://127.0.0.1:4101', langgraph: 'http://127.0.0.1:4102' } as const;
const programs = ['vercel', 'openai-agents', 'python', 'mcp'] as const;

const call = { name: 'find_order', arguments: { id: 'A-1003' } };
const rules = [{ toolCalls: [call], reply: 'Order A-1003 arrives on Friday.' }];

let folder = '';
let model: ModelServer;
const servers: ChildProcess[] = [];
const addresses = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proofmark-agents-'));
  await cp(root, folder, { recursive: true, filter: (path) => !path.endsWith('node_modules') });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  model = await startModelServer({ rules });
  for (const [name, usual] of Object.entries(services)) {
    const server = spawn(process.execPath, [join(folder, name, 'server.mjs')], {
      env: { ...inheritedEnvironment(), PORT: '0', SHOP_TOKEN: token },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    servers.push(server);
    const [line] = await once(server.stdout, 'data');
    const address = String(line).trim();
    addresses.set(name, address);
    const path = join(folder, 'evals', `${name}.suite.yaml`);
    await writeFile(path, readFileSync(path, 'utf8').replace(usual, address));
  }
});
afterAll(async () => {
  for (const server of servers) server.kill();
  await model[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const keys = () => ({
  SHOP_TOKEN: token,
  PROOFMARK_KEY_ENVS: 'OPENAI_API_KEY,SHOP_TOKEN',
  PROOFMARK_KEY_ORIGINS: [...addresses.values()].map((address) => `SHOP_TOKEN=${address}`).join(','),
});

test.each(['langgraph', 'ai-sdk'] as const)('the template %s runs as init writes it', patient, async (template) => {
  const project = await mkdtemp(join(tmpdir(), 'proofmark-template-'));
  try {
    await symlink(join(root, 'node_modules'), join(project, 'node_modules'));
    const run = (...args: string[]) =>
      runCli(args, {
        folder: project,
        env: {
          ...{ OPENAI_API_KEY: 'sk-test-0123456789abcdef', OPENAI_BASE_URL: model.url, LANGGRAPH_KEY: token },
          PROOFMARK_PROGRAM_ENVS: 'OPENAI_API_KEY,OPENAI_BASE_URL',
          PROOFMARK_KEY_ENVS: 'LANGGRAPH_KEY',
          PROOFMARK_KEY_ORIGINS: `LANGGRAPH_KEY=${addresses.get('langgraph')}`,
        },
      });
    expect((await run('init', '--from', template)).code).toBe(0);
    if (template === 'langgraph') {
      const path = join(project, 'agents/graph.agent.yaml');
      const text = readFileSync(path, 'utf8').replace('http://127.0.0.1:2024', addresses.get('langgraph') ?? '');
      // As its comment says for a server that wants a key.
      await writeFile(path, text.replace('# headers:', 'headers:'));
    }
    const { stdout, stderr, code } = await run('run');
    expect(stdout + stderr).toContain('1 of 1 passed');
    expect(code).toBe(0);
  } finally {
    await rm(project, { recursive: true, force: true });
  }
});

describe('each example of an agent is reached, its tools are seen, and its answer is judged', () => {
  test.each([...Object.keys(services), ...programs])('%s, in this process', patient, async (name) => {
    const env = {
      ...keys(),
      ...{ OPENAI_API_KEY: 'sk-test-0123456789abcdef', OPENAI_BASE_URL: model.url },
      PROOFMARK_PROGRAM_ENVS: 'OPENAI_API_KEY,OPENAI_BASE_URL',
    };
    const { stdout, stderr, code } = await runCli(['run', `evals/${name}.suite.yaml`], { folder, env });
    expect(stdout + stderr).toContain('1 of 1 passed');
    expect(code).toBe(0);
  });

  test('all of them on a runner whose operator allows programs, which has the repository', patient, async () => {
    await using running = await startRunningProduct({
      rules,
      coordinatorEnv: { PROOFMARK_ALLOW_COMMAND_AGENTS: '1' },
      runnerEnv: {
        ...keys(),
        PROOFMARK_PROGRAM_ENVS: 'OPENAI_API_KEY,OPENAI_BASE_URL',
        PROOFMARK_ALLOW_COMMAND_AGENTS: '1',
        ...(process.getuid?.() === 0 ? {} : { PROOFMARK_COMMAND_AGENTS_SHARE_KEYS: '1' }),
      },
      runnerFolder: root,
    });
    const started = new Map<string, string>();
    for (const name of [...Object.keys(services), ...programs]) {
      const path = `evals/${name}.suite.yaml`;
      const suite = { path, text: readFileSync(join(folder, path), 'utf8') };
      // What runs as code is sent with its suite, so that a runner knows whether it has the same.
      const code = /file: (\S+\.ts)/.exec(suite.text)?.[1];
      const files = [
        suite,
        ...(code === undefined ? [] : [{ path: code, text: readFileSync(join(root, code), 'utf8') }]),
      ];
      started.set(name, await running.start({ suitePaths: [path], files }));
    }
    for (const [name, runId] of started) {
      const ended = await running.waitForEnd(runId, 200_000);
      expect(ended.results, name).toMatchObject([{ status: 'passed', errorKind: null }]);
    }
    const kept = await running.rows(
      'select count(*)::int as n from test_case_results where tool_calls @> \'[{"name": "find_order"}]\'',
    );
    expect(kept).toEqual([{ n: started.size }]);
  });
});
