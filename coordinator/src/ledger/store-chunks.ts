import type { EntityManager } from '@mikro-orm/postgresql';
import type { FileContent } from '@proofmark/contracts/file-content';
import { DEFAULT_POOL } from '@proofmark/contracts/pool';
import { cutChunks, type Turn } from '@proofmark/domain/cut-chunks';
import { sql } from 'kysely';
import { rowId } from '../database/row-id.ts';
import { type Columns, names, unnestPassing } from '../database/unnest.ts';
import { type ChunkBody, writeBody } from './chunk-body.ts';
import { type AboutTestRun, planColumns } from './new-test-run.ts';
import type { WorkPart, WorkParts } from './work-parts.ts';

/** A test run that a runner is to execute. */
export interface QueuedTestRun extends AboutTestRun {
  /** Equal in both sides of a pair; null where there are none. */
  pairKey: string | null;
  /** Its place among the test runs of its round. */
  position: number;
  seed: string;
  parts: WorkParts;
  /** Local files of its case. */
  contents: readonly FileContent[];
}

interface Storing {
  tenantId: string;
  runId: string;
  testRuns: readonly QueuedTestRun[];
  /** How many of them travel together to the runners of a pool. */
  sizeOf: (pool: string) => number;
}

const plannedColumns: Columns<QueuedTestRun> = {
  test_run_id: { type: 'uuid', of: ({ id }) => id },
  suite_run_id: { type: 'uuid', of: ({ suiteRunId }) => suiteRunId },
  setting_hash: { type: 'text', of: ({ parts }) => parts.setting.hash },
  case_content_hash: { type: 'text', of: ({ parts }) => parts.case.hash },
  seed: { type: 'text', of: ({ seed }) => seed },
  ...planColumns,
};

interface NewChunk {
  id: string;
  suiteRunId: string;
  baseSuiteRunId: string | null;
  pool: string;
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
  pool: { type: 'text', of: ({ pool }) => pool },
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

/** Stores the plan of these test runs, and queues them in chunks. What they name was stored before. */
export async function storeChunks(em: EntityManager, { tenantId, runId, testRuns, sizeOf }: Storing): Promise<void> {
  const kysely = em.getKysely();
  for (const batch of slices(testRuns, rowsOfStatement)) {
    await sql`
      insert into planned_test_runs (tenant_id, run_id, ${names(plannedColumns)})
      select ${tenantId}::uuid, ${runId}::uuid, p.* from ${unnestPassing(batch, plannedColumns, 'p')}`.execute(kysely);
  }
  const pools = await readPools(em, { tenantId, runId });
  const byPool = Map.groupBy(turnsOf(testRuns), ({ planned }) => pools.get(suiteRunOf(planned)) ?? DEFAULT_POOL);
  const chunks = [...byPool].flatMap(([pool, turns]) =>
    cutChunks(turns, { size: sizeOf(pool), bytes: bytesOfChunk }).map((cut) => chunkOf(cut, pool)),
  );
  for (const batch of slices(chunks, chunksOfStatement)) {
    const all = { ...chunkColumns, ...listColumns };
    await sql`
      insert into chunks (tenant_id, run_id, ${names(chunkColumns)}, members, setting_hashes)
      select ${tenantId}::uuid, ${runId}::uuid, ${names(chunkColumns)}, c.members::uuid[], c.setting_hashes::text[]
      from ${unnestPassing(batch, all, 'c')}`.execute(kysely);
  }
}

/** The pool of each suite run. */
async function readPools(
  em: EntityManager,
  { tenantId, runId }: Pick<Storing, 'tenantId' | 'runId'>,
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; pool: string }>`
    select id, pool from test_suite_runs where tenant_id = ${tenantId} and run_id = ${runId}`.execute(em.getKysely());
  return new Map(rows.map(({ id, pool }) => [id, pool]));
}

/** Both sides of a pair belong to the suite run of the candidate. */
const suiteRunOf = (sides: readonly QueuedTestRun[]): string => sides.at(-1)?.suiteRunId ?? '';

const partColumns: Columns<WorkPart> = {
  hash: { type: 'text', of: ({ hash }) => hash },
  // As text, because it is JSON already.
  content: { type: 'text', of: ({ json }) => json },
};

/**
 * Stores what test runs share, each content once. In the order of their hashes, so that runs that share contents wait for
 * each other in one direction.
 */
export async function storeContents(em: EntityManager, tenantId: string, parts: Iterable<WorkPart>): Promise<void> {
  const unique = new Map([...parts].map((part) => [part.hash, part]));
  const sorted = [...unique.values()].toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  for (const batch of slices(sorted, rowsOfStatement)) {
    await sql`
      insert into work_contents (tenant_id, hash, content)
      select ${tenantId}::uuid, w.hash, w.content::json from ${unnestPassing(batch, partColumns, 'w')} order by w.hash
      on conflict do nothing`.execute(em.getKysely());
  }
}

interface PlannedTurn extends Turn {
  testRuns: number;
  planned: QueuedTestRun[];
}

/** Both sides of a pair take one turn, the baseline first. Turns of the same suite runs, round and settings may travel together. */
function turnsOf(planned: readonly QueuedTestRun[]): PlannedTurn[] {
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

const orderOf = ({ planned }: PlannedTurn): number => planned[0]?.position ?? 0;

function chunkOf(turns: readonly PlannedTurn[], pool: string): NewChunk {
  const sides = turns[0]?.planned ?? [];
  const [first, second] = sides;
  if (first === undefined) throw new Error('a chunk without a test run');
  const members = turns.flatMap(({ planned }) => planned);
  const body = writeBody(
    turns.map(({ planned }) =>
      planned.map(({ id, testCaseId, seed, parts, testRun: { repetition } }) => ({
        ...{ id, testCaseId, parts, repetition, seed },
      })),
    ),
  );
  return {
    id: rowId(),
    suiteRunId: suiteRunOf(sides),
    baseSuiteRunId: second === undefined ? null : first.suiteRunId,
    pool,
    round: first.testRun.repetition,
    position: first.position,
    members: members.map(({ id }) => id),
    body,
    contents: filesOf(members),
  };
}

function filesOf(members: readonly QueuedTestRun[]): FileContent[] | null {
  const files = members.flatMap(({ contents }) => contents);
  if (files.length === 0) return null;
  return [...new Map(files.map((file) => [`${file.path} ${file.sha256}`, file])).values()];
}

function* slices<Row>(rows: readonly Row[], size: number): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += size) yield rows.slice(start, start + size);
}
