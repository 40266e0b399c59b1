import { sql } from 'kysely';
import { type Database, readInTenant } from '../../database/transactions.ts';
import { builder } from '../builder.ts';
import { callerOf, type GraphqlContext } from '../context.ts';
import { byRow } from '../loaders.ts';
import type { ExportFormat } from '../suite-runs/export-formats.ts';
import { type Exported, mostOnPage } from '../suite-runs/export-results.ts';
import { readSuiteRunsById, readSuiteRunsOf } from '../suite-runs/read-suite-runs.ts';
import { SuiteRunType } from '../suite-runs/suite-runs.ts';
import { enumOf } from '../words.ts';
import type { DownloadGrant } from './download-links.ts';
import { RunType } from './runs.ts';

const livesS = 15 * 60;

/** What a link hands out now; null when it has expired, or nothing of it has ended. `TOO_LARGE`: the format holds no more. */
export async function exportedBy(database: Database, grant: DownloadGrant): Promise<Exported | 'TOO_LARGE' | null> {
  const { tenant: tenantId, kind, id, format, expires } = grant;
  const [now] = await readInTenant(
    database,
    tenantId,
    sql<{ isOver: boolean }>`select extract(epoch from now()) > ${expires} as "isOver"`,
  );
  if (now?.isOver !== false) return null;
  const all = await (kind === 'run' ? readSuiteRunsOf : readSuiteRunsById)(database, tenantId, [id]);
  const suiteRuns = all.filter(({ completedAt }) => completedAt !== null);
  if (suiteRuns.length === 0) return null;
  const results = suiteRuns.reduce((total, { totalCases }) => total + totalCases, 0);
  return format === 'html' && results > mostOnPage ? 'TOO_LARGE' : { tenantId, suiteRuns };
}

const FormatType = enumOf<ExportFormat>('DownloadFormat', 'The form of a file with results.', {
  csv: 'A table with a line for each test run, for spreadsheets.',
  jsonl: 'A JSON object in a line for each test run, for programs.',
  junit: 'JUnit XML, for tools that know test suites.',
  html: `One page for people that needs no network; of at most ${mostOnPage} test runs.`,
});

const LinkType = builder.objectRef<{ url: string; expiresAt: string }>('DownloadLink').implement({
  description: 'A link that hands out a file to whoever has it, for a while.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'The address to get the file from, without a token.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the link opens nothing any more.' }),
  }),
});

const ledgerNow = byRow(async (database, tenantId, keys: readonly 'now'[]) => {
  const [row] = await readInTenant(database, tenantId, sql<{ s: number }>`select extract(epoch from now())::int as s`);
  return keys.map(() => row?.s ?? 0);
});

async function linkTo(context: GraphqlContext, what: Pick<DownloadGrant, 'kind' | 'id' | 'format'>) {
  const expires = (await ledgerNow(context, 'now')) + livesS;
  const url = context.ports.downloads.sign({ ...what, tenant: callerOf(context).tenantId, expires });
  return { url, expiresAt: new Date(expires * 1000).toISOString() };
}

const formatArgument = () =>
  builder.args((t) => ({
    format: t.field({ type: FormatType, required: true, description: 'The form of the file.' }),
  }));
const description = 'A link to its results as a file, for 15 minutes; null while nothing of it has ended.';

builder.objectField(RunType, 'download', (t) =>
  t.field({
    type: LinkType,
    nullable: true,
    args: formatArgument(),
    description,
    resolve: ({ id, finishedSuiteRuns }, { format }, context) =>
      finishedSuiteRuns === 0 ? null : linkTo(context, { kind: 'run', id, format }),
  }),
);

builder.objectField(SuiteRunType, 'download', (t) =>
  t.field({
    type: LinkType,
    nullable: true,
    args: formatArgument(),
    description,
    resolve: ({ id, completedAt }, { format }, context) =>
      completedAt === null ? null : linkTo(context, { kind: 'suite-run', id, format }),
  }),
);
