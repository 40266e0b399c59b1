import { hash } from 'node:crypto';
import { type CaseWork, WorkCase, WorkSetting } from '@proofmark/contracts/case-work';
import { sql } from 'kysely';
import { z } from 'zod';
import { storableJson } from '../database/storable.ts';
import { type LeanCase, leanCase, wholeCase } from '../definitions/lean-case.ts';

/** A part of the work of test runs as it is stored and sent: once for each content. */
export interface WorkPart {
  hash: string;
  json: string;
}

export interface WorkParts {
  setting: WorkPart;
  /** What is asked, without the repetition. */
  case: WorkPart;
}

export type WorkSplitter = (work: CaseWork) => WorkParts;

/** Cuts works into the parts that many of them share. Parts of the same objects are written and hashed once. */
export function workSplitter(): WorkSplitter {
  const settings = new Map<CaseWork['agent'], { work: CaseWork; part: WorkPart }[]>();
  const cases = new Map<CaseWork['case'], { work: CaseWork; part: WorkPart }[]>();
  return (work) => ({
    setting: remembered(settings, work.agent, work, settingMaking),
    case: remembered(cases, work.case, work, caseMaking),
  });
}

interface Making {
  isSame: (one: CaseWork, other: CaseWork) => boolean;
  make: (work: CaseWork) => WorkSetting | LeanWorkCase;
}

/** What all repetitions of a case share, as it is stored and sent: whoever reads it by `WorkCase` gets the whole case. */
type LeanWorkCase = Omit<WorkCase, 'case'> & { case: LeanCase };

function remembered<Key>(
  known: Map<Key, { work: CaseWork; part: WorkPart }[]>,
  key: Key,
  work: CaseWork,
  { isSame, make }: Making,
): WorkPart {
  const alike = known.get(key) ?? [];
  for (const one of alike) if (isSame(one.work, work)) return one.part;
  const json = storableJson(make(work));
  const part = { hash: hash('sha256', json), json };
  known.set(key, [...alike, { work, part }]);
  return part;
}

const sameSetting = (one: CaseWork, other: CaseWork): boolean =>
  one.instrument === other.instrument &&
  one.model === other.model &&
  one.limits === other.limits &&
  one.variant === other.variant &&
  one.cellKey === other.cellKey &&
  one.suitePath === other.suitePath;

const sameCase = (one: CaseWork, other: CaseWork): boolean =>
  one.resolvedVariables === other.resolvedVariables && one.recorded === other.recorded;

const settingOf = (work: CaseWork): WorkSetting => {
  const { suiteName, suitePath, variant, cellKey, agent, model, instrument, limits } = work;
  return { suiteName, suitePath, variant, cellKey, agent, model, instrument, limits };
};

function caseOf({ case: testCase, contents, resolvedVariables, recorded }: CaseWork): LeanWorkCase {
  return {
    case: leanCase(testCase),
    ...(contents && { contents }),
    resolvedVariables,
    ...(recorded && { recorded }),
  };
}

const settingMaking: Making = { isSame: sameSetting, make: settingOf };
const caseMaking: Making = { isSame: sameCase, make: caseOf };

/** What a test run was planned to do, as `plannedWork` reads it. */
const Parts = z.object({ setting: WorkSetting, case: WorkCase, repetition: z.int(), seed: z.string() });
export type StoredParts = Omit<z.infer<typeof Parts>, 'case'> & { case: LeanWorkCase };

/** Its work, put together again. */
export const joinParts = ({ setting, case: of, ...own }: StoredParts): CaseWork => ({
  ...setting,
  ...of,
  case: wholeCase(of.case),
  ...own,
});

/** The same of what was read without a type. */
export const StoredWork = Parts.transform(joinParts);

/** SQL that joins the plan of the result or test run `on`; the plan is null for what was decided without a runner. */
export const joinPlan = (on: string) => sql`
  left join planned_test_runs pl on pl.tenant_id = ${sql.ref(`${on}.tenant_id`)} and pl.test_run_id = ${sql.ref(`${on}.id`)}
  left join work_contents ws on ws.tenant_id = pl.tenant_id and ws.hash = pl.setting_hash
  left join work_contents wc on wc.tenant_id = pl.tenant_id and wc.hash = pl.case_content_hash`;

/** The work of that plan for `StoredWork`, null without one. */
export const plannedWork = sql`case when pl.test_run_id is not null then
  json_build_object('setting', ws.content, 'case', wc.content, 'repetition', pl.repetition, 'seed', pl.seed) end`;
