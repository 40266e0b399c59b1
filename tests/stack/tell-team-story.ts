import { createHash, randomUUID } from 'node:crypto';
import type { CaseOutcome } from '@proofmark/contracts/case-outcome';
import { type Ledger, ledgerOn } from '../../coordinator/src/database/open-ledger.fixture.ts';
import { retryConflicts } from '../../coordinator/src/database/retry-conflicts.ts';
import { type Executed, judgedRuns, pull, push } from '../../coordinator/src/judging/judged-runs.fixture.ts';
import { planStep } from '../../coordinator/src/ledger/plan-steps.ts';
import { storeSession } from '../../coordinator/src/ledger/sessions.ts';
import { given, newRepository, type Tenant } from '../../coordinator/src/story.fixture.ts';
import { type Edit, teamFiles, teamSuites } from './team.ts';
import { type TeamEvent, teamEvents } from './team-events.ts';

/** No runner works on it: what the runs of the story came to is told, through the same functions by which results are recorded. */
const pool = 'shop';

const dayMs = 86_400_000;

export interface ToldRun {
  id: string;
  event: TeamEvent;
}

interface Story {
  databaseUrl: string;
  /** The last ones of them; absent: all three weeks. */
  events?: readonly TeamEvent[];
}

/** Fills the first tenant of a running coordinator with runs of a believable team, each at its time. */
export async function tellTeamStory({ databaseUrl, events = teamEvents }: Story): Promise<ToldRun[]> {
  await using ledger = await ledgerOn(databaseUrl, 4);
  const tenant = await firstTenant(ledger);
  await newRepository(ledger, tenant);
  await ledger.query(`update repositories set full_name = 'fern-and-fable/agents' where external_id = '77'`);
  await ledger.query(`delete from audit_entries where subject = 'repository'`);
  const runs = judgedRuns(ledger, tenant);
  const told: ToldRun[] = [];
  const merged: Edit[] = [];
  let baseSha = '';
  for (const [at, event] of events.entries()) {
    merged.push(...(event.merged ?? []));
    const headSha = createHash('sha1').update(`${event.title} ${event.hoursAgo} ${at}`).digest('hex');
    const id = await runs.start({
      trigger: triggerOf(event, headSha, baseSha),
      text: teamFiles([...merged, ...(event.edits ?? [])], pool),
    });
    while ((await planStep(ledger.database)) !== null);
    // The base branch moves with each push; the nightly run looks at it again.
    if (event.kind === 'push') baseSha = headSha;
    if (event.open !== undefined)
      await storeSession(ledger.database, {
        runnerId: 'greenhouse-1',
        pools: [pool],
        version: '0.1.0',
        slots: 8,
        leaseMs: dayMs,
      });
    const passes = (_name: string, _repetition: number, test: Executed) => doesPass(event, test, at);
    await runs.execute(id, passes, (test, passed) => outcomeOf(event, test, passed), event.open);
    if (event.open === undefined) await runs.judge(id);
    await moveBack(ledger, id, event);
    told.push({ id, event });
  }
  return told;
}

async function firstTenant(ledger: Ledger): Promise<Tenant> {
  const [row] = await ledger.query<{ id: string; userId: string }>(
    'select t.id, u.id as "userId" from tenants t join users u on u.tenant_id = t.id order by t.created_at, u.created_at limit 1',
  );
  const { id, userId } = given(row);
  const caller = {
    tenantId: id,
    userId,
    tokenId: randomUUID(),
    kind: 'api' as const,
    repositoryId: null,
    claims: null,
  };
  return { id, userId, caller: { ...caller, scopes: new Set(['admin' as const]) } };
}

function triggerOf({ kind, author, title, number = 1 }: TeamEvent, headSha: string, baseSha: string) {
  const repositoryFullName = 'fern-and-fable/agents';
  if (kind === 'pull') return { ...pull(number), headSha, baseSha, author, title, repositoryFullName };
  if (kind === 'push') return { ...push, headSha, author, repositoryFullName };
  return { ...push, event: null, triggeredBy: 'schedule' as const, headSha: baseSha, repositoryFullName };
}

const caseOf = (suiteName: string, caseName: string) =>
  given(teamSuites.find(({ name }) => name === suiteName)?.cases.find(({ name }) => name === caseName));

/** A number from 0 to 1 that is the same in every telling. */
function chance(...parts: (string | number)[]): number {
  return createHash('sha1').update(parts.join('|')).digest().readUInt32BE(0) / 2 ** 32;
}

function doesPass({ rates = {}, cell, error }: TeamEvent, test: Executed, at: number): boolean {
  if (error !== undefined) return false;
  const told = cell === undefined || test.cellKey.includes(cell) ? rates[test.caseName] : undefined;
  const rate = told ?? caseOf(test.suiteName, test.caseName).rate ?? 1;
  return chance(at, test.suiteName, test.caseName, test.cellKey, test.repetition) < rate;
}

/** Seconds and tokens that fit what was said; the cheap model is quick, the large one thorough. */
const models: Readonly<Record<string, { ms: number; tokens: number; usd: number }>> = {
  'gpt-5-mini': { ms: 900, tokens: 60, usd: 0.00035 },
  'claude-haiku': { ms: 1_300, tokens: 90, usd: 0.0011 },
  'llama-4': { ms: 2_100, tokens: 75, usd: 0.00012 },
};

function outcomeOf(event: TeamEvent, test: Executed, passed: boolean): Partial<CaseOutcome> {
  const { input, good, bad, phrases, tools = [] } = caseOf(test.suiteName, test.caseName);
  const model = test.cellKey.split('=')[1] ?? 'gpt-5-mini';
  const { ms, tokens, usd } = models[model] ?? { ms: 900, tokens: 60, usd: 0.00035 };
  const factor = 0.7 + 0.6 * chance(event.hoursAgo, test.caseName, test.repetition, model);
  const latencyMs = Math.round(ms * factor);
  const startedAt = new Date().toISOString();
  if (event.error !== undefined)
    return {
      status: 'error',
      errorKind: 'agent',
      errorMessage: event.error,
      testInput: input,
      response: null,
      model,
      usage: null,
      costUsd: null,
      latencyMs: null,
      startedAt,
    };
  const isFlawless = passed || test.variant === 'baseline';
  const response = isFlawless ? good : bad;
  const called = isFlawless ? tools : tools.slice(0, 1);
  const missing = phrases.filter((phrase) => !response.toLowerCase().includes(phrase.toLowerCase()));
  const toolMs = 40;
  return {
    ...{ testInput: input, response, model, latencyMs, executionTimeMs: latencyMs + 30, startedAt },
    usage: { promptTokens: 210 + Math.round(20 * factor), completionTokens: Math.round(tokens * factor) },
    costUsd: usd * factor,
    checks: [
      {
        ...{
          checkIndex: 0,
          checkType: 'contains_phrases',
          status: isFlawless ? 'pass' : 'fail',
          passed: isFlawless,
          error: null,
        },
        details: {
          matchedPhrases: phrases.filter((phrase) => !missing.includes(phrase)),
          missingPhrases: isFlawless ? [] : missing,
        },
      },
    ],
    tools: {
      matched: tools.length === 0 ? null : isFlawless || tools.length === 1,
      problems: tools.slice(called.length).map(({ name }) => `${name} was not called`),
    },
    toolCalls: called.map(({ name, args, result }, turn) => ({
      ...{ id: `call-${turn}`, name, args: JSON.parse(JSON.stringify(args)), argsError: null, error: null },
      ...{ result: JSON.parse(JSON.stringify(result)), source: 'mock' as const, turn: 0, durationMs: toolMs },
    })),
    transcript: [
      { role: 'user', text: input },
      ...called.map(({ name }): CaseOutcome['transcript'][number] => ({ role: 'tool', text: `${name} answered` })),
      { role: 'agent', text: response, durationMs: latencyMs },
    ],
    progress: [
      { state: 'PENDING', atMs: 0 },
      { state: 'EXECUTING_AGENT', atMs: 2 },
      { state: 'EVALUATING', atMs: latencyMs + 6 },
      { state: 'COMPLETE', atMs: latencyMs + 30 },
    ],
  };
}

/** What is told a moment ago is moved to its time, and took as long as such a run takes. */
async function moveBack(ledger: Ledger, runId: string, { hoursAgo, open }: TeamEvent): Promise<void> {
  const back = `now() - interval '${hoursAgo} hours'`;
  const took = "interval '95 seconds' + random() * interval '120 seconds'";
  const ended = open === undefined ? `${back} + ${took}` : 'null';
  const suiteRuns = '(select id from test_suite_runs where run_id = $1)';
  // The coordinator may look after the same rows meanwhile.
  for (const statement of [
    `update runs set created_at = ${back}, started_at = ${back} + interval '4 seconds', completed_at = ${ended} where id = $1`,
    `update test_suite_runs s set created_at = r.created_at, started_at = r.started_at, completed_at = r.completed_at from runs r where r.id = s.run_id and r.id = $1`,
    `update suite_run_facets set created_at = ${back} where run_id = $1`,
    `update case_summaries set ended_at = ${back} where suite_run_id in ${suiteRuns}`,
    `update test_case_results set created_at = ${back}, started_at = ${back} + interval '4 seconds' where run_id in ${suiteRuns}`,
    `update audit_entries set at = ${back} where names = array[$1::text]`,
    `update alerts set created_at = ${back} + interval '4 minutes' where run_id = $1`,
    `update alerts a set ended_at = over.created_at from alerts over where over.run_id = $1 and over.resolves = a.id`,
  ])
    await retryConflicts(() => ledger.query(statement, [runId]));
}
