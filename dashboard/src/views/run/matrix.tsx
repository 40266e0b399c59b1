import { plural } from '@proofmark/domain/format-numbers';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useAllRows } from '../../data/use-pages.ts';
import { MatrixCasesDocument, type MatrixCasesQuery } from '../../operations/documents.ts';
import { Folded, Loading, ProblemNote } from '../../parts/pieces.tsx';
import { Link, paths } from '../../parts/route.tsx';
import { cellValues, isFinal } from '../../parts/words.ts';
import type { SuiteRunOfRun } from './whole-run.ts';

type CaseCount = NonNullable<MatrixCasesQuery['suiteRun']>['cases']['edges'][number]['node'];

/** So many cells and cases are read and drawn; more cells on demand. */
const mostCells = 24;
const mostRows = 200;
/** A matrix of no more test runs is drawn at once; another one waits until somebody opens it. */
const mostAtOnce = 1_000;

/** Cells against cases, for each suite that ran in more than one cell. */
export function HeatMaps({ suiteRuns }: { suiteRuns: readonly SuiteRunOfRun[] }) {
  const suites = [
    ...Map.groupBy(
      suiteRuns.filter(({ status }) => isFinal(status)),
      ({ suiteId }) => suiteId,
    ).values(),
  ].filter((cells) => cells.length > 1);
  if (suites.length === 0) return null;
  const testRuns = suites.flat().reduce((sum, { totalCases }) => sum + totalCases, 0);
  return (
    <section aria-labelledby="matrix">
      <h2 id="matrix">Matrix</h2>
      {suites.map((cells) => (
        <div class="card" key={cells[0]?.suiteId}>
          <Folded
            summary={`${cells[0]?.suiteName ?? ''} in ${plural(cells.length, 'cell')}`}
            isOpen={testRuns <= mostAtOnce}
          >
            {() => <HeatMap cells={cells} />}
          </Folded>
        </div>
      ))}
    </section>
  );
}

type Order = 'regression' | 'lowest' | 'name';

/** What was read of a cell; whole: it has no other cases. */
interface CellRead {
  counts: readonly CaseCount[];
  isWhole: boolean;
}

function HeatMap({ cells: all }: { cells: readonly SuiteRunOfRun[] }) {
  const [order, setOrder] = useState<Order>('regression');
  const [shownCells, setShownCells] = useState(mostCells);
  const [read, setRead] = useState<Readonly<Record<string, CellRead>>>({});
  const cells = all.slice(0, shownCells);
  const rows = useMemo(() => rowsOf(cells, read, order), [cells.length, read, order]);
  const isCut = rows.length > mostRows || cells.some(({ id }) => read[id]?.isWhole === false);
  return (
    <>
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
      {cells.map(({ id, cellKey }) => (
        <ReadCell
          key={id}
          id={id}
          cellKey={cellKey}
          onRead={(cell) => setRead((before) => ({ ...before, [id]: cell }))}
        />
      ))}
      {cells.some(({ id }) => read[id] === undefined) ? (
        <Loading what="the cells" />
      ) : (
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
                    <HeatCell
                      key={id}
                      suiteRunId={id}
                      name={name}
                      count={of.get(id)}
                      isRead={of.has(id) || read[id]?.isWhole === true}
                    />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {isCut && (
        <p class="quiet">
          Of each cell the first {mostRows} cases are read, those that broke first; … stands for one that was not. Open
          a cell to see all of its cases.
        </p>
      )}
      {cells.length < all.length && (
        <button type="button" onClick={() => setShownCells(shownCells + mostCells)}>
          Show {plural(Math.min(mostCells, all.length - cells.length), 'more cell')}
        </button>
      )}
    </>
  );
}

interface ReadCellProps {
  id: string;
  cellKey: string;
  onRead: (cell: CellRead) => void;
}

/** Reads the cases of one cell. It draws nothing but what went wrong, and then the other cells are there all the same. */
function ReadCell({ id, cellKey, onRead }: ReadCellProps) {
  const { rows, isComplete, isCut, problem, retry } = useAllRows(
    MatrixCasesDocument,
    { id },
    ({ suiteRun }) => suiteRun?.cases,
    { mostRows },
  );
  const hasEnded = isComplete || isCut || problem !== null;
  useEffect(() => {
    if (hasEnded) onRead({ counts: rows, isWhole: isComplete });
  }, [hasEnded, rows]);
  return problem === null ? null : <ProblemNote message={`${cellValues(cellKey)}: ${problem}`} onRetry={retry} />;
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

function rowsOf(cells: readonly SuiteRunOfRun[], read: Readonly<Record<string, CellRead>>, order: Order): MatrixRow[] {
  const byName = new Map<string, Map<string, CaseCount>>();
  for (const { id } of cells) {
    for (const count of read[id]?.counts ?? []) {
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

interface HeatCellProps {
  suiteRunId: string;
  name: string;
  count: CaseCount | undefined;
  isRead: boolean;
}

function HeatCell({ suiteRunId, name, count, isRead }: HeatCellProps) {
  if (!isRead) return <td class="tone none">…</td>;
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
