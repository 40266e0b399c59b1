import type { ComponentChildren } from 'preact';
import type { Answered } from '../data/use-answer.ts';
import { Empty, Loading, ProblemNote } from './pieces.tsx';

/** Numbers stand at the right, one below the other. */
export type Column<Row> = readonly [name: string, show: (row: Row) => ComponentChildren, kind?: 'number'];

interface RowsProps<Row> {
  /** What the table holds, as a screen reader says it. */
  label: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** The first says which row it is. */
  columns: readonly Column<Row>[];
}

/** A table. On a phone each row is a block of its own, with the name of the column before each value: nothing is beside the screen. */
export function Rows<Row>({ label, rows, keyOf, columns }: RowsProps<Row>) {
  return (
    <div class="scroll card" tabIndex={0} role="group" aria-label={label}>
      <table class="stacks">
        <thead>
          <tr>
            {columns.map(([name, , kind]) => (
              <th scope="col" key={name} class={kind}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(([name, show, kind], at) =>
                at === 0 ? (
                  <th scope="row" key={name}>
                    {show(row)}
                  </th>
                ) : (
                  <td key={name} class={kind} data-column={name}>
                    <div>{show(row)}</div>
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ListedProps<Answer, Row> extends Omit<RowsProps<Row>, 'label' | 'rows'> {
  what: string;
  answered: Answered<Answer>;
  rowsOf: (answer: Answer) => readonly Row[];
  /** What to do where there is none. */
  empty: ComponentChildren;
}

/** Things of one kind in a table, with what is to be said while they come, where there are none, and where they may not be seen. */
export function Listed<Answer, Row>({ what, answered, rowsOf, empty, ...table }: ListedProps<Answer, Row>) {
  const { answer, problem, reload } = answered;
  if (problem !== null && answer === null) return <ProblemNote message={problem} onRetry={reload} />;
  if (answer === null) return <Loading what={what} />;
  const rows = rowsOf(answer);
  if (rows.length === 0) return <Empty title={`There are no ${what} yet.`}>{empty}</Empty>;
  return <Rows label={what} rows={rows} {...table} />;
}
