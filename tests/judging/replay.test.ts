import { readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { listen } from '../stack/listen.ts';
import type { Rule } from '../stack/model/rules.ts';
import { type ModelServer, startModelServer } from '../stack/model-server.ts';
import { typeCli } from '../stack/type-cli.ts';
import { shopFiles, shopRules, timesPlayed, writeProject } from './simulated-shop.ts';

/** Every model of a project has a key of its own; the test decides which of them are set. */
const environment = (model: ModelServer, ...set: string[]): Record<string, string> => ({
  OPENAI_BASE_URL: model.url,
  PROOFMARK_KEY_ENVS: 'DESK_KEY,OTHER_KEY',
  PROOFMARK_KEY_ORIGINS: ['DESK_KEY', 'OTHER_KEY'].map((name) => `${name}=${new URL(model.url).origin}`).join(','),
  ...Object.fromEntries(set.map((name) => [name, 'key'])),
});

const project = (other: string): string =>
  `ai_configurations:
  desk: { provider: openai, model: agent-1, api_key_env: DESK_KEY }
  ${other}: { provider: openai, model: ${other}-1, api_key_env: OTHER_KEY }
`;

const isAt =
  (temperature: number) =>
  ({ variables }: Record<string, unknown>): boolean =>
    JSON.stringify(variables).includes(`"Temperature":${temperature}`);

async function placeOfRun(folder: string): Promise<string> {
  const [id] = await readdir(join(folder, 'results'));
  return `results/${id}`;
}

describe('proofmark replay', () => {
  test('needs no key of the model behind a tool whose answers are recorded', async () => {
    await using model = await startModelServer({ rules: shopRules() });
    const folder = await writeProject({ ...shopFiles(), 'proofmark.yaml': project('player') });
    const first = await typeCli(['run'], { folder, env: environment(model, 'DESK_KEY', 'OTHER_KEY') });
    expect(first.code, first.stderr).toBe(0);
    const id = `${await placeOfRun(folder)}/01-orders/Where is my lamp`;

    const replayed = await typeCli(['replay', id], { folder, env: environment(model, 'DESK_KEY') });

    expect(replayed.stdout, replayed.stderr).toContain('SAME');
    expect([replayed.code, timesPlayed(model)]).toEqual([0, 1]);
    const without = await typeCli(['replay', id], { folder, env: environment(model, 'OTHER_KEY') });
    expect(without.stderr).toContain('cannot be repeated here as it was:\n  desk: DESK_KEY is not set');
    expect(without.code).toBe(2);
  });

  test('names the key that a new call of a simulated tool would have needed, and blames no agent', async () => {
    let word = 'lamp';
    const rules: Rule[] = [
      ...shopRules().slice(0, 1),
      {
        when: { model: 'agent-1' },
        get toolCalls() {
          return [{ name: 'search_orders', arguments: { word } }];
        },
        reply: 'It is lost',
      },
    ];
    await using model = await startModelServer({ rules });
    const folder = await writeProject({ ...shopFiles(), 'proofmark.yaml': project('player') });
    await typeCli(['run'], { folder, env: environment(model, 'DESK_KEY', 'OTHER_KEY') });
    word = 'chair';

    const id = `${await placeOfRun(folder)}/01-orders/Where is my lamp`;
    const replayed = await typeCli(['replay', id], { folder, env: environment(model, 'DESK_KEY') });

    expect(replayed.stdout).toMatch(/status +passed +→ +error \(mock\)/);
    expect(replayed.stdout).toContain('The simulated tool search_orders gave no answer: OTHER_KEY is not set');
    expect(replayed.code).toBe(3);
  });

  const judgedSuite = `name: Support
agent: { name: Desk, ai_configuration: desk, instructions: Help. }
judge: { ai_configuration: judge }
evaluations: { metrics: [{ metric: f1 }] }
cases:
  - name: Hours
    input: When do you close?
    ground_truth: At 17
    files: [{ path: hours.txt, type: text }]
    expected_behavior: { checks: [{ type: llm_judge, expected_answer: At 17 }, { type: contains_phrases, phrases: ["17"] }] }
  - { name: Measured, input: And on Sunday?, ground_truth: At 17, expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }
`;
  const judgedProject = { 'proofmark.yaml': project('judge'), 'x.suite.yaml': judgedSuite, 'hours.txt': '9-17' };

  /** The judge changes its mind with every question. */
  const fickle = (): Rule[] => {
    let asked = 0;
    const verdict = (): string => {
      asked += 1;
      return JSON.stringify({ reasoning: `time ${asked}`, passed: asked % 2 === 1 });
    };
    return [{ when: { model: 'judge-1' }, reply: verdict }, { reply: 'At 17' }];
  };

  test('--judge-only judges the stored answer again: no agent, no file and no key of the agent is needed', async () => {
    await using model = await startModelServer({ rules: fickle() });
    const folder = await writeProject(judgedProject);
    const first = await typeCli(['run'], { folder, env: environment(model, 'DESK_KEY', 'OTHER_KEY') });
    expect(first.code, first.stderr).toBe(0);
    await rm(join(folder, 'hours.txt'));
    const seen = model.requests.length;
    const id = `${await placeOfRun(folder)}/01-support/Hours`;

    const replayed = await typeCli(['replay', id, '--judge-only'], { folder, env: environment(model, 'OTHER_KEY') });

    expect(replayed.stdout.replace(/results\/\S+/, 'results/RUN/01-support/Hours')).toMatchInlineSnapshot(`
      "Support › Hours  DIFFERENT
        results/RUN/01-support/Hours
        The stored answer was judged again; its agent was not asked.

                                  STORED          REPLAY
        status                    passed       →  failed
        check 1 llm_judge         pass         →  fail
        check 2 contains_phrases  pass         =  pass
        metric f1                 pass (1.00)  =  pass (1.00)
        model                     agent-1      =  agent-1
        version                   0.1.0        =  0.1.0

        answer, the same: At 17
      "
    `);
    expect(replayed.code).toBe(0);
    expect(model.requests.slice(seen).map((request) => request.model)).toEqual(['judge-1']);

    const json = await typeCli(['replay', id, '--judge-only', '--json'], {
      folder,
      env: environment(model, 'OTHER_KEY'),
    });
    expect(JSON.parse(json.stdout)).toMatchObject({ judge_only: true, is_same: true, replay: { costUsd: 0 } });
  });

  test('asks a service the same again: cell, variables, documents, instructions and seed of then', async () => {
    const asked: Record<string, unknown>[] = [];
    const server = createServer((request, response) => {
      void json(request).then((body) => {
        // It was parsed one line above: the protocol sends objects.
        asked.push(body as Record<string, unknown>);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"output":"At 17"}');
      });
    });
    const service = await listen(server, 0);
    const suite = (instructions: string) => `name: Service
agent: { name: Desk, instructions: ${instructions}, driver: { type: http, url: "${service.origin}/ask" } }
cases:
  - name: Hours
    input: When do you close?
    files: [{ path: hours.txt, type: text }]
    expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] }
`;
    const folder = await writeProject({ 'x.suite.yaml': suite('Help.'), 'hours.txt': '9-17' });
    try {
      const first = await typeCli(['run', '--matrix', 'Temperature=0,1'], { folder });
      expect(first.code, first.stderr).toBe(0);
      await writeFile(join(folder, 'x.suite.yaml'), suite('Something else.'));
      const id = `${await placeOfRun(folder)}/02-service-temperature-1/Hours`;

      const replayed = await typeCli(['replay', id], { folder });

      expect(replayed.stdout, replayed.stderr).toContain('Service [Temperature=1] › Hours  SAME');
      const [then, now] = [asked.find(isAt(1)), asked.at(-1)].map((body) => ({ ...body, conversation_id: null }));
      expect(now).toEqual(then);
      expect(now).toMatchObject({ instructions: 'Help.', variables: { Temperature: 1 } });
      expect(asked).toHaveLength(3);
    } finally {
      await service.close();
    }
  });

  test('a case that no judge looks at needs no key of the judge', async () => {
    await using model = await startModelServer({ rules: fickle() });
    const folder = await writeProject(judgedProject);
    await typeCli(['run'], { folder, env: environment(model, 'DESK_KEY', 'OTHER_KEY') });
    const id = `${await placeOfRun(folder)}/01-support/Measured`;
    const replayed = await typeCli(['replay', id], { folder, env: environment(model, 'DESK_KEY') });
    expect(replayed.stdout, replayed.stderr).toContain('SAME');
  });

  test('--judge-only says why a test run cannot be judged again', async () => {
    await using model = await startModelServer({ rules: [{ when: { model: 'agent-1' }, status: 400 }] });
    const folder = await writeProject(judgedProject);
    await typeCli(['run'], { folder, env: environment(model, 'DESK_KEY', 'OTHER_KEY') });
    const id = `${await placeOfRun(folder)}/01-support/Hours`;
    const replayed = await typeCli(['replay', id, '--judge-only'], { folder, env: environment(model, 'OTHER_KEY') });
    expect(replayed.stderr).toContain('cannot be judged again: it broke before there was anything to judge (');
    expect(replayed.code).toBe(2);
    const remote = await typeCli(['replay', id, '--judge-only', '--remote'], { folder });
    expect([remote.code, remote.stderr]).toEqual([2, expect.stringContaining('--judge-only works in this process')]);
  });
});
