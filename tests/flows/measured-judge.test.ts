import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { openPullRequest } from '../stack/github/pull-request.ts';
import { checkRuns, comments } from '../stack/github/read-back.ts';
import { branchSha, createRepository, pushCommit } from '../stack/github/repository.ts';
import { startGithub } from '../stack/github-server.ts';
import type { Rule } from '../stack/model/rules.ts';
import { type ModelServer, startModelServer } from '../stack/model-server.ts';
import { startOwnNats } from '../stack/nats.ts';
import { startProduct } from '../stack/product.ts';
import { runJob } from '../stack/run-job.ts';
import { typeCli } from '../stack/type-cli.ts';
import { waitUntil } from '../stack/wait-until.ts';
import { expectSoundLedger, patient, startRunningProduct } from './running-product.ts';

/** 15 good answers and 15 bad ones, as people see them; the first `deceptive` bad ones look good. */
const labels = (deceptive: number): string =>
  Array.from({ length: 30 }, (_, index) => {
    const isGood = index % 2 === 0;
    const text = isGood || index < deceptive * 2 ? `Open until 17:00, answer ${index}` : `No idea, answer ${index}`;
    return JSON.stringify({ response: text, criterion: 'It names a time.', label: isGood ? 'passed' : 'failed' });
  }).join('\n');

const decides = (id: string, status: string): string =>
  JSON.stringify({
    criteria: [{ id, requirement: id, reasoning: `it is ${status}`, status }],
    injection_attempt: false,
  });

/** A judge that takes every answer with a time in it for a good one, and greetings for what they are. */
const rules: Rule[] = [
  { when: { user: ['It names a time.', 'Open until 17:00'] }, reply: decides('criterion', 'passed') },
  { when: { user: 'It names a time.' }, reply: decides('criterion', 'failed') },
  { when: { user: 'Good day' }, reply: decides('greeted', 'passed') },
  { reply: decides('greeted', 'failed') },
];
const isAboutLabels = ({ user }: { user: string }): boolean => user.includes('It names a time.');
const askedAboutLabels = (model: ModelServer): number => model.requests.filter(isAboutLabels).length;
/** Around data stand marks that are other ones in every request. */
const withoutMarks = (text: string): string => text.replaceAll(/[0-9a-f]{32}/g, '');

/** What a run of this machine says of the judge of the same files. */
async function judgedHere(files: { path: string; text: string }[], model: ModelServer): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-here-'));
  try {
    for (const { path, text } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const env = { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: model.url };
    const { stdout } = await typeCli(['run', '--json'], { folder, env });
    return JSON.parse(stdout).suite_runs[0].verdict.judge;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const suite = ({ reply = 'Good day!', cases = 1 } = {}): string => `name: Greeting
agent: { name: Desk, instructions: Greet., driver: { type: scripted, replies: [{ reply: "${reply}" }] } }
judge: { ai_configuration: judge, calibration_file: labels.jsonl }
cases:
${Array.from({ length: cases }, (_, at) => `  - { name: Case ${at + 1}, input: hello ${at + 1}, expected_outcomes: { greeted: true } }`).join('\n')}
`;
const project = 'ai_configurations: { judge: { provider: openai, model: judge-1 } }\n';

const question = `query ($id: UUID!) {
  run(id: $id) {
    totalCases totalSuiteRuns
    suiteRuns {
      purpose
      verdict { judge { path labels isMeasured isWeak kappa tpr tnr majorityAgreement correctedPassRate problem } }
    }
  }
}`;

test(
  'runners measure the judge beside the cases, once for all runs, also when one of them is killed meanwhile',
  patient,
  async () => {
    await using running = await startRunningProduct({ hasShortLeases: true, runners: 1, rules });
    const { model, product, rows } = running;
    const wanted = {
      files: [
        { path: 'proofmark.yaml', text: project },
        { path: 'evals/x.suite.yaml', text: suite({ cases: 2 }) },
        { path: 'evals/labels.jsonl', text: labels(2) },
      ],
      suitePaths: ['evals/x.suite.yaml'],
      projectPath: 'proofmark.yaml',
    };
    model.hold();
    const runId = await running.start(wanted);
    await model.whenInFlight(4);
    await product.runners[0]?.kill('SIGKILL');
    model.release();
    await product.addRunner();
    const ended = await running.waitForEnd(runId);
    expect(ended.status).toBe('completed');
    await expectSoundLedger(rows, runId);
    expect(ended.results.filter(({ caseName }) => caseName.startsWith('evals/labels.jsonl:'))).toHaveLength(30);
    expect(ended.results.some(({ attempt }) => attempt === 2)).toBe(true);

    const { data, errors } = await running.ask(question, { id: runId });
    expect(errors).toEqual([]);
    expect(data?.run).toMatchObject({
      ...{ totalCases: 2, totalSuiteRuns: 1 },
      suiteRuns: [
        {
          purpose: 'FIRST',
          verdict: {
            judge: {
              ...{ path: 'evals/labels.jsonl', labels: 30, isMeasured: true, isWeak: false, problem: null },
              ...{ tpr: 1, tnr: expect.closeTo(13 / 15, 9), kappa: expect.closeTo(13 / 15, 9), majorityAgreement: 0.5 },
              correctedPassRate: 100,
            },
          },
        },
      ],
    });

    const here = await judgedHere(wanted.files, model);
    const [row] = await rows<{ judge: Record<string, unknown> }>(
      `select verdict_detail -> 'judge' as judge from test_suite_runs where run_id = $1 and purpose = 'first'`,
      [runId],
    );
    expect(here).toMatchObject({ judge_hash: row?.judge.judgeHash, kappa: row?.judge.kappa, tnr: row?.judge.tnr });
    // Asked in the same words, not only with the same end.
    const questions = new Set(model.requests.filter(isAboutLabels).map(({ user }) => withoutMarks(user)));
    expect(questions.size).toBe(30);

    const asked = askedAboutLabels(model);
    const again = await running.start(wanted);
    expect((await running.waitForEnd(again)).results).toHaveLength(2);
    expect(askedAboutLabels(model)).toBe(asked);
    const [first, second] = await Promise.all([runId, again].map((id) => running.ask(question, { id })));
    expect(second?.data).toEqual(first?.data);
  },
);

test(
  'a regression that only a weak judge sees is neutral on the pull request, and both check and comment say why',
  patient,
  async () => {
    await using closing = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), 'proofmark-flow-'));
    closing.defer(() => rm(directory, { recursive: true, force: true }));
    const github = closing.use(await startGithub());
    const model = closing.use(await startModelServer({ rules }));
    const nats = closing.use(await startOwnNats());
    const product = closing.use(
      await startProduct({
        ...{ postgresUrl: inject('postgresUrl'), template: inject('migratedDatabase'), nats, modelUrl: model.url },
        ...{ github, runners: 1, programs: inject('programs') },
      }),
    );
    const job = (repository: string, sha: string, event: Parameters<typeof runJob>[1]['event']) =>
      runJob(github, {
        ...{ coordinator: product.url, directory, repository, sha, event },
        env: { PROOFMARK_POLL_MS: '50' },
      });
    const files = {
      'proofmark.yaml': project,
      'evals/x.suite.yaml': suite({ cases: 10 }),
      'evals/labels.jsonl': labels(8),
    };
    const { full_name: repository } = await createRepository(github, { name: 'greetings', files });
    const base = (await branchSha(github, repository, 'main')) ?? '';
    const recorded = await job(repository, base, { name: 'push', branch: 'main' });
    expect(recorded.exitCode, recorded.log).toBe(0);
    const headSha = await pushCommit(github, {
      ...{ repository, branch: 'change' },
      files: { 'evals/x.suite.yaml': suite({ cases: 10, reply: 'What?' }) },
    });
    const { number } = await openPullRequest(github, { repository, head: 'change' });
    const result = await job(repository, headSha, { name: 'pull_request', number });
    expect(result.exitCode, result.log).toBe(0);
    expect(result.outputs).toMatchObject({ verdict: 'regressed', conclusion: 'neutral' });

    const checks = await waitUntil(
      async () => {
        const found = await checkRuns(github, repository, headSha);
        return found.length === 2 && found.every(({ status }) => status === 'completed') ? found : undefined;
      },
      { what: 'the checks of the pull request', detail: product.coordinator.log },
    );
    expect(checks.map(({ name, conclusion }) => `${name}: ${conclusion}`).toSorted()).toEqual([
      'proofmark / Greeting: neutral',
      'proofmark: neutral',
    ]);
    const check = checks.find(({ name }) => name === 'proofmark / Greeting');
    expect(check?.output.title).toMatch(/^Regressed: .*, judge too weak \(kappa 0\.47\)$/);
    expect(check?.output.summary).toContain('Kappa below 0.6: this judge should not decide alone');
    const [comment] = await waitUntil(
      async () => {
        const found = await comments(github, repository, number);
        return found.length > 0 ? found : undefined;
      },
      { what: 'the comment', detail: product.coordinator.log },
    );
    expect(comment?.body).toContain('judge too weak (kappa 0.47)');
    expect(comment?.body).toMatch(/TPR 100%, TNR 46\.7%, kappa 0\.47/);
    // Base and pull request have one judge and one set of labels.
    expect(askedAboutLabels(model)).toBe(30);
  },
);
