import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import type { StartRunInput } from '@proofmark/contracts/start-run-input';
import { Verdict } from '@proofmark/contracts/verdict';
import type { z } from 'zod';
import type { Caller } from '../access/caller.ts';
import type { Ledger } from '../database/open-ledger.fixture.ts';
import { recordResults } from '../ledger/record-results.ts';
import { type StartRunPorts, startRun } from '../start/start-run.ts';
import {
  anInput,
  anOutcome,
  claimAll,
  given,
  leases,
  newSession,
  portsOf,
  resultOf,
  type Tenant,
} from '../story.fixture.ts';
import { finishSuiteRun } from './finish-suite-run.ts';

type RunTrigger = z.input<typeof StartRunInput>['trigger'];

export const sha = (letter: string) => letter.repeat(40);

export const push = {
  triggeredBy: 'ci' as const,
  event: 'push',
  host: 'github.com',
  repositoryExternalId: '77',
  ref: 'refs/heads/main',
};

export const pull = (number: number) => ({
  ...push,
  event: 'pull_request',
  ref: `refs/pull/${number}/merge`,
  pullRequest: number,
});

export interface Sketch {
  trigger: RunTrigger;
  /** Of the suite file; or all files, suites and what they need. */
  text: string | { path: string; text: string }[];
  settings?: z.input<typeof StartRunInput>['settings'];
}

/** One test run as the test decides how it ends. */
export interface Executed {
  caseName: string;
  repetition: number;
  variant: string;
  cellKey: string;
  purpose: string;
  suiteName: string;
}

/** How test runs end: all alike, or each for itself. */
type EndOf = Partial<CaseOutcome> | ((test: Executed, passed: boolean) => Partial<CaseOutcome>);

const path = 'a.suite.yaml';

/** Runs of one tenant from the request to the verdict, with ends that the test decides. */
export function judgedRuns(ledger: Ledger, tenant: Tenant, forge: StartRunPorts['forge'] = null) {
  const start = async ({ trigger, text, settings }: Sketch, caller: Caller = tenant.caller): Promise<string> => {
    const files = typeof text === 'string' ? [{ path, text }] : text;
    const projectPath = files.find((file) => file.path === 'proofmark.yaml')?.path ?? null;
    const suitePaths = files.map((file) => file.path).filter((name) => name.endsWith('.suite.yaml'));
    const input = anInput({ files, suitePaths, projectPath, trigger, ...(settings && { settings }) });
    const answer = await startRun({ ...portsOf(ledger), forge }, caller, input);
    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    return answer.runId;
  };

  /** Runs every queued test run, or so many; those of the head's side pass or fail as the function says, all others pass. */
  const execute = async (
    runId: string,
    passes: (caseName: string, repetition: number, test: Executed) => boolean,
    outcome: EndOf = {},
    most = Number.POSITIVE_INFINITY,
  ): Promise<void> => {
    const leased = await claimAll(ledger, runId, await newSession(ledger));
    const rows = await ledger.query<Executed & { id: string }>(
      `select l.test_run_id as id, l.case_name as "caseName", l.repetition, l.variant, s.cell_key as "cellKey", s.purpose, a.name as "suiteName"
       from ${leases} l join test_suite_runs s on s.id = l.suite_run_id join agent_test_suites a on a.id = s.suite_id where l.run_id = $1`,
      [runId],
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const messages = leased.slice(0, most).map((one) => {
      const row = given(byId.get(one.testRunId));
      const passed = row.variant === 'baseline' || passes(row.caseName, row.repetition, row);
      const status = passed ? 'passed' : 'failed';
      return resultOf(one, anOutcome({ status, ...(typeof outcome === 'function' ? outcome(row, passed) : outcome) }));
    });
    await recordResults(ledger.database, messages);
  };

  /** Does the jobs that the ledger left for a run, each once. */
  const judge = async (runId: string): Promise<string[]> => {
    const jobs = await ledger.query<{ id: string }>(
      `select suite_run_id as id from outbox where kind = 'finish-suite-run' and run_id = $1 order by created_at`,
      [runId],
    );
    const states: string[] = [];
    for (const { id } of jobs)
      states.push((await finishSuiteRun(ledger.database, { tenantId: tenant.id, suiteRunId: id })).state);
    return states;
  };

  const verdictsOf = async (runId: string): Promise<Verdict[]> => {
    const rows = await ledger.query(
      `select verdict_detail from test_suite_runs
       where run_id = $1 and variant <> 'baseline' and purpose = 'first' order by sort_order`,
      [runId],
    );
    return rows.map((row) => Verdict.parse(row.verdict_detail));
  };

  const runOf = async (runId: string) =>
    given(
      (
        await ledger.query(
          'select status, verdict, conclusion, completed_at is not null as ended from runs where id = $1',
          [runId],
        )
      )[0],
    );

  return {
    start,
    execute,
    judge,
    verdictsOf,
    verdictOf: async (runId: string): Promise<Verdict> => given((await verdictsOf(runId))[0]),
    runOf,
    /** A run of the base branch in which everything passes unless the test says otherwise. */
    baseRun: async (
      commit: string,
      text: string,
      passes: Parameters<typeof execute>[1] = () => true,
    ): Promise<string> => {
      const runId = await start({ trigger: { ...push, headSha: commit }, text });
      await execute(runId, passes);
      await judge(runId);
      return runId;
    },
  };
}
