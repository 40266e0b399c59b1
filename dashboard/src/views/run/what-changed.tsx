import { useAnswer } from '../../data/use-answer.ts';
import { RunChangesDocument, SuiteRunChangesDocument, type SuiteRunChangesQuery } from '../../operations/documents.ts';
import { Hunks } from '../../parts/difference-view.tsx';
import { Rows } from '../../parts/listed.tsx';
import { Loading, ProblemNote } from '../../parts/pieces.tsx';
import { recordOf, valueText } from '../../parts/values.ts';

const mostFiles = 20;

/** What differs between the sides: agents, settings and cases, file by file. */
export function WhatChanged({ id }: { id: string }) {
  const { answer, problem, reload } = useAnswer(RunChangesDocument, { id });
  const changes = answer?.run?.changes ?? null;
  if (problem !== null) return <ProblemNote message={problem} onRetry={reload} />;
  if (answer !== null && changes === null) return null;
  return (
    <section aria-labelledby="changed">
      <h2 id="changed">What changed</h2>
      {changes === null && <Loading what="what changed" />}
      {changes?.length === 0 && (
        <p class="card">
          Agents, settings and cases are the same on both sides: what differs is chance, or the model behind an agent.
        </p>
      )}
      {changes !== null && changes.length > 0 && (
        <div class="card">
          {changes.slice(0, mostFiles).map((change) => (
            <Hunks key={change.path} change={change} />
          ))}
          {changes.length > mostFiles && <p class="quiet">{changes.length - mostFiles} more files.</p>}
        </div>
      )}
    </section>
  );
}

type Sides = NonNullable<SuiteRunChangesQuery['suiteRun']>;

/** The same of one suite run: its agent, and the values of variables. */
export function SuiteRunChanged({ id }: { id: string }) {
  const { answer, problem, reload } = useAnswer(SuiteRunChangesDocument, { id });
  const suiteRun = answer?.suiteRun ?? null;
  if (problem !== null) return <ProblemNote message={problem} onRetry={reload} />;
  return (
    <section aria-labelledby="changed">
      <h2 id="changed">What changed</h2>
      {suiteRun === null ? <Loading what="what changed" /> : <SidesDiffer sides={suiteRun} />}
    </section>
  );
}

function SidesDiffer({ sides: { agentChanges, resolvedVariables, baseline } }: { sides: Sides }) {
  const values = changedValues(baseline?.resolvedVariables?.values, resolvedVariables?.values);
  const changes = agentChanges ?? [];
  if (changes.length === 0 && values.length === 0)
    return <p class="card">The agent and its settings are the same on both sides.</p>;
  return (
    <>
      {changes.length > 0 && (
        <div class="card">
          {changes.map((change) => (
            <Hunks key={change.path} change={change} />
          ))}
        </div>
      )}
      {values.length > 0 && (
        <Rows
          label="Variables that differ"
          rows={values}
          keyOf={([name]) => name}
          columns={[
            ['Variable', ([name]) => <code>{name}</code>],
            ['Base', ([, was]) => was],
            ['Head', ([, , is]) => is],
          ]}
        />
      )}
    </>
  );
}

function changedValues(base: unknown, head: unknown): [name: string, base: string, head: string][] {
  const [before, after] = [recordOf(base), recordOf(head)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((name): [string, string, string] => [name, valueText(before[name]), valueText(after[name])])
    .filter(([, was, is]) => was !== is);
}
