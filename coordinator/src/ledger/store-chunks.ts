import { randomUUID } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { CaseWork } from '@proofmark/contracts/case-work';
import type { FileContent } from '@proofmark/contracts/file-content';
import { chunkSize, cutChunks, type Fleet, type Turn } from '@proofmark/domain/cut-chunks';
import { sql } from 'kysely';
import { type Columns, names, unnest } from '../database/unnest.ts';
import { type ChunkBody, writeBody } from './chunk-body.ts';
import { type NewTestRun, planColumns } from './new-test-run.ts';
import { type WorkPart, type WorkParts, workSplitter } from './work-parts.ts';

/** A test run that a runner is to execute. */
export type QueuedTestRun = NewTestRun & { work: CaseWork };

export function withWork(one: NewTestRun): QueuedTestRun {
  const { work } = one.testRun;
  if (work === null) throw new Error(`${one.testRun.caseName} is not decided and has no work`);
  return { ...one, work };
}

interface Storing {
  tenantId: string;
  runId: string;
  testRuns: readonly QueuedTestRun[];
  fleet: Fleet;
}

type Planned = QueuedTestRun & { parts: WorkParts };

const plannedColumns: Columns<Planned> = {
  test_run_id: { type: 'uuid', of: ({ id }) => id },
  suite_run_id: { type: 'uuid', of: ({ suiteRunId }) => suiteRunId },
  setting_hash: { type: 'text', of: ({ parts }) => parts.setting.hash },
  case_content_hash: { type: 'text', of: ({ parts }) => parts.case.hash },
  seed: { type: 'text', of: ({ work }) => work.seed },
  ...planColumns,
};

interface NewChunk {
  id: string;
  suiteRunId: string;
  baseSuiteRunId: string | null;
  round: number;
  position: number;
  members: string[];
  body: ChunkBody;
  contents: FileContent[] | null;
}

const chunkColumns: Columns<NewChunk> = {
  id: { type: 'uuid', of: ({ id }) => id },
  suite_run_id: { type: 'uuid', of: ({ suiteRunId }) => suiteRunId },
  base_suite_run_id: { type: 'uuid', of: ({ baseSuiteRunId }) => baseSuiteRunId },
  round: { type: 'int4', of: ({ round }) => round },
  position: { type: 'int4', of: ({ position }) => position },
  open_count: { type: 'int4', of: ({ members }) => members.length },
  body: { type: 'text', of: ({ body }) => body.text },
  contents: { type: 'jsonb', of: ({ contents }) => contents },
};
/** An array of arrays would be one rectangle: these are sent as the text of an array each. */
const listColumns: Columns<NewChunk> = {
  members: { type: 'text', of: ({ members }) => `{${members.join(',')}}` },
  setting_hashes: { type: 'text', of: ({ body }) => `{${body.settings.map(({ hash }) => hash).join(',')}}` },
};

const rowsOfStatement = 1000;
const chunksOfStatement = 250;
/** A little less than a message may have; what is larger alone is told when it is published. */
const bytesOfTestRun = 200;
const bytesOfChunk = 448 * 1024;

/** Stores the plan of these test runs, and queues them in chunks. What they share is stored once. */
export async function storeChunks(em: EntityManager, { tenantId, runId, testRuns, fleet }: Storing): Promise<void> {
  if (testRuns.length === 0) return;
  const kysely = em.getKysely();
  const partsOf = workSplitter();
  const planned = testRuns.map((one) => ({ ...one, parts: partsOf(one.work) }));
  await storeContents(em, tenantId, planned);
  for (const batch of slices(planned, rowsOfStatement)) {
    await sql`
      insert into planned_test_runs (tenant_id, run_id, ${names(plannedColumns)})
      select ${tenantId}::uuid, ${runId}::uuid, p.* from ${unnest(batch, plannedColumns, 'p')}`.execute(kysely);
  }
  const size = chunkSize(testRuns.length, fleet);
  const chunks = cutChunks(turnsOf(planned), { size, bytes: bytesOfChunk }).map(chunkOf);
  for (const batch of slices(chunks, chunksOfStatement)) {
    const all = { ...chunkColumns, ...listColumns };
    await sql`
      insert into chunks (tenant_id, run_id, ${names(chunkColumns)}, members, setting_hashes)
      select ${tenantId}::uuid, ${runId}::uuid, ${names(chunkColumns)}, c.members::uuid[], c.setting_hashes::text[]
      from ${unnest(batch, all, 'c')}`.execute(kysely);
  }
}

const partColumns: Columns<WorkPart> = {
  hash: { type: 'text', of: ({ hash }) => hash },
  // As text, because it is JSON already.
  content: { type: 'text', of: ({ json }) => json },
};

/** In the order of their hashes, so that runs that share contents wait for each other in one direction. */
async function storeContents(em: EntityManager, tenantId: string, planned: readonly Planned[]): Promise<void> {
  const parts = new Map<string, WorkPart>();
  for (const { parts: of } of planned) {
    parts.set(of.setting.hash, of.setting);
    parts.set(of.case.hash, of.case);
  }
  const sorted = [...parts.values()].toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  for (const batch of slices(sorted, rowsOfStatement)) {
    await sql`
      insert into work_contents (tenant_id, hash, content)
      select ${tenantId}::uuid, w.hash, w.content::json from ${unnest(batch, partColumns, 'w')} order by w.hash
      on conflict do nothing`.execute(em.getKysely());
  }
}

interface PlannedTurn extends Turn {
  testRuns: number;
  planned: Planned[];
}

/** Both sides of a pair take one turn, the baseline first. Turns of the same suite runs, round and settings may travel together. */
function turnsOf(planned: readonly Planned[]): PlannedTurn[] {
  const pairs = Map.groupBy(planned, ({ pairKey, id }) => pairKey ?? id);
  const turns = [...pairs.values()].map((pair): PlannedTurn => {
    const sides = pair.toSorted((a, b) => (a.variant < b.variant ? -1 : 1));
    const [first] = sides;
    const round = first?.testRun.repetition ?? 0;
    return {
      planned: sides,
      group: `${round} ${sides.map(({ suiteRunId, parts }) => `${suiteRunId} ${parts.setting.hash}`).join(' ')}`,
      testRuns: sides.length,
      bytes: sides.reduce((sum, { parts }) => sum + Buffer.byteLength(parts.case.json) + bytesOfTestRun, 0),
      shared: sides.reduce((sum, { parts }) => sum + Buffer.byteLength(parts.setting.json), 0),
    };
  });
  return turns.toSorted((a, b) => orderOf(a) - orderOf(b));
}

const orderOf = ({ planned }: PlannedTurn): number => planned[0]?.testRun.sortOrder ?? 0;

function chunkOf(turns: readonly PlannedTurn[]): NewChunk {
  const sides = turns[0]?.planned ?? [];
  const [first, second] = sides;
  if (first === undefined) throw new Error('a chunk without a test run');
  const members = turns.flatMap(({ planned }) => planned);
  const body = writeBody(
    turns.map(({ planned }) =>
      planned.map(({ id, work, parts }) => ({ id, parts, repetition: work.repetition, seed: work.seed })),
    ),
  );
  return {
    id: randomUUID(),
    suiteRunId: (second ?? first).suiteRunId,
    baseSuiteRunId: second === undefined ? null : first.suiteRunId,
    round: first.testRun.repetition,
    position: first.testRun.sortOrder,
    members: members.map(({ id }) => id),
    body,
    contents: filesOf(members),
  };
}

function filesOf(members: readonly Planned[]): FileContent[] | null {
  const files = members.flatMap(({ work }) => work.contents ?? []);
  if (files.length === 0) return null;
  return [...new Map(files.map((file) => [`${file.path} ${file.sha256}`, file])).values()];
}

function* slices<Row>(rows: readonly Row[], size: number): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}
