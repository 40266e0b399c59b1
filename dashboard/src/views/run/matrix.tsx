import { useMemo, useState } from 'preact/hooks';
import { useAllRows } from '../../data/use-pages.ts';
import { MatrixCasesDocument, type MatrixCasesQuery } from '../../operations/documents.ts';
import { Loading, ProblemNote } from '../../parts/pieces.tsx';
import { Link, paths } from '../../parts/route.tsx';
import { cellValues, isFinal } from '../../parts/words.ts';
import type { SuiteRunOfRun } from './whole-run.ts';

type CaseCount = NonNullable<MatrixCasesQuery['suiteRun']>['cases']['edges'][number]['node'];

const mostCells = 24;
const mostRows = 200;

/** Cells against cases, for each suite that ran in more than one cell. Its results are read when somebody looks. */
export function HeatMaps({ suiteRuns }: { suiteRuns: readonly SuiteRunOfRun[] }) {
  const suites = [
    ...Map.groupBy(
      suiteRuns.filter(({ status }) => isFinal(status)),
      ({ suiteId }) => suiteId,
    ).values(),
  ].filter((cells) => cells.length > 1);
  if (suites.length === 0) return null;
  return (
    <section aria-labelledby="matrix">
      <h2 id="matrix">Matrix</h2>
      {suites.map((cells) => (
        <HeatMap key={cells[0]?.suiteId} cells={cells.slice(0, mostCells)} />
      ))}
    </section>
  );
}

type Order = 'regression' | 'lowest' | 'name';

function HeatMap({ cells }: { cells: readonly SuiteRunOfRun[] }) {
  const [order, setOrder] = useState<Order>('regression');
  const [counts, setCounts] = useState<Readonly<Record<string, readonly CaseCount[]>>>({});
  const rows = useMemo(() => rowsOf(cells, counts, order), [cells, counts, order]);
  const isComplete = cells.every(({ id }) => counts[id] !== undefined);
  return (
    <div class="card">
      <div class="head">
        <h3>{cells[0]?.suiteName}</h3>
        <label>
          Order{' '}
          <select
            value={order}
            onChange={({ currentTarget: { value } }) =>
              setOrder(value === 'name' || value === 'lowest' ? value : 'regression')
            }
          >
            <option value="regression">most lost first</option>
            <option value="lowest">lowest first</option>
            <option value="name">by name</option>
          </select>
        </label>
      </div>
      {cells.map(({ id }) => (
        <CellCounts key={id} id={id} onCounts={(of) => setCounts((before) => ({ ...before, [id]: of }))} />
      ))}
      {!isComplete && <Loading what="the cells" />}
      {isComplete && (
        <div class="scroll" tabIndex={0} role="group" aria-label={`Matrix of ${cells[0]?.suiteName ?? ''}`}>
          <table class="matrix">
            <caption>Passed test runs by case and cell; was: on the base</caption>
            <thead>
              <tr>
                <th scope="col">Case</th>
                {cells.map(({ id, cellKey }) => (
                  <th scope="col" key={id} title={cellKey}>
                    <Link to={paths.suiteRun(id)}>{cellValues(cellKey)}</Link>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, mostRows).map(({ name, of }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  {cells.map(({ id }) => (
                    <HeatCell key={id} suiteRunId={id} name={name} count={of.get(id)} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {rows.length > mostRows && (
        <p class="quiet">{rows.length - mostRows} more cases: open a cell to see all of them.</p>
      )}
    </div>
  );
}

/** Reads the cases of one cell. It draws nothing but what went wrong. */
function CellCounts({ id, onCounts }: { id: string; onCounts: (counts: readonly CaseCount[]) => void }) {
  const { rows, isComplete, problem } = useAllRows(MatrixCasesDocument, { id }, ({ suiteRun }) => suiteRun?.cases);
  useMemo(() => {
    if (isComplete) onCounts(rows);
  }, [isComplete]);
  return problem === null ? null : <ProblemNote message={problem} />;
}

interface MatrixRow {
  name: string;
  of: ReadonlyMap<string, CaseCount>;
}

const share = (side: CaseCount['head']): number | null =>
  side === null || side.scored === 0 ? null : side.passed / side.scored;

function lost({ of }: MatrixRow): number {
  const losses = [...of.values()].map(({ base, head }) => (share(base) ?? 0) - (share(head) ?? share(base) ?? 0));
  return losses.reduce((sum, loss) => sum + Math.max(0, loss), 0);
}

const lowest = ({ of }: MatrixRow): number => Math.min(1, ...[...of.values()].flatMap(({ head }) => share(head) ?? []));

function rowsOf(
  cells: readonly SuiteRunOfRun[],
  counts: Readonly<Record<string, readonly CaseCount[]>>,
  order: Order,
): MatrixRow[] {
  const byName = new Map<string, Map<string, CaseCount>>();
  for (const { id } of cells) {
    for (const count of counts[id] ?? []) {
      const row = byName.get(count.caseName) ?? new Map<string, CaseCount>();
      row.set(id, count);
      byName.set(count.caseName, row);
    }
  }
  const rows = [...byName].map(([name, of]) => ({ name, of }));
  if (order === 'name') return rows.toSorted((a, b) => a.name.localeCompare(b.name));
  if (order === 'lowest') return rows.toSorted((a, b) => lowest(a) - lowest(b));
  return rows.toSorted((a, b) => lost(b) - lost(a) || lowest(a) - lowest(b));
}

function HeatCell({ suiteRunId, name, count }: { suiteRunId: string; name: string; count: CaseCount | undefined }) {
  const head = count?.head ?? null;
  const rate = share(head);
  if (head === null || rate === null) return <td class="tone none">–</td>;
  const tone = rate === 1 ? 'passed' : rate === 0 ? 'failed' : 'partly';
  const base = count?.base ?? null;
  const fell = (share(base) ?? 0) > rate;
  return (
    <td class={`tone ${tone}`}>
      <Link to={paths.caseOf(suiteRunId, name)}>
        {fell && <span title="fell">▼ </span>}
        {head.passed}/{head.scored}
      </Link>
      {base !== null && (base.passed !== head.passed || base.scored !== head.scored) && (
        <div class="small">
          was {base.passed}/{base.scored}
        </div>
      )}
    </td>
  );
}
