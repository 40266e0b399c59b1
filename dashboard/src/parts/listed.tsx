import type { ComponentChildren } from 'preact';
import type { Answered } from '../data/use-answer.ts';
import { Empty, Loading, ProblemNote } from './pieces.tsx';

interface ListedProps<Answer, Row> {
  what: string;
  answered: Answered<Answer>;
  rowsOf: (answer: Answer) => readonly Row[];
  keyOf: (row: Row) => string;
  columns: readonly (readonly [name: string, show: (row: Row) => ComponentChildren])[];
  /** What to do where there is none. */
  empty: ComponentChildren;
}

/** Things of one kind in a table, with what is to be said while they come, where there are none, and where they may not be seen. */
export function Listed<Answer, Row>({ what, answered, rowsOf, keyOf, columns, empty }: ListedProps<Answer, Row>) {
  const { answer, problem, reload } = answered;
  if (problem !== null && answer === null) return <ProblemNote message={problem} onRetry={reload} />;
  if (answer === null) return <Loading what={what} />;
  const rows = rowsOf(answer);
  if (rows.length === 0) return <Empty title={`There are no ${what} yet.`}>{empty}</Empty>;
  return (
    <div class="scroll card" tabIndex={0} role="group" aria-label={what}>
      <table>
        <thead>
          <tr>
            {columns.map(([name]) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map(([name, show], at) =>
                at === 0 ? (
                  <th scope="row" key={name}>
                    {show(row)}
                  </th>
                ) : (
                  <td key={name}>{show(row)}</td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
