import { useAnswer } from '../../data/use-answer.ts';
import { AgentsOfSuiteRunDocument, type AgentsOfSuiteRunQuery } from '../../operations/documents.ts';
import { LineDifference } from '../../parts/difference-view.tsx';
import { Loading, ProblemNote } from '../../parts/pieces.tsx';
import type { SuiteRunOfRun } from './whole-run.ts';

type TwoSides = NonNullable<AgentsOfSuiteRunQuery['suiteRun']>;

const mostAgents = 4;

/** What differs between the sides: the prompt and the rest of each agent, and the values of variables. */
export function WhatChanged({ suiteRuns }: { suiteRuns: readonly SuiteRunOfRun[] }) {
  const compared = suiteRuns.filter(({ baselineSuiteRunId }) => baselineSuiteRunId !== null);
  // Suites of one agent share what changed in it.
  const byAgent = [...new Map(compared.map((suiteRun) => [suiteRun.agentHash, suiteRun])).values()];
  if (byAgent.length === 0) return null;
  return (
    <section aria-labelledby="changed">
      <h2 id="changed">What changed</h2>
      {byAgent.slice(0, mostAgents).map(({ id, agentName }) => (
        <ChangedAgent key={id} id={id} agentName={agentName} />
      ))}
      {byAgent.length > mostAgents && <p class="quiet">{byAgent.length - mostAgents} more agents: see their suites.</p>}
    </section>
  );
}

export function ChangedAgent({ id, agentName }: { id: string; agentName: string }) {
  const { answer, problem, reload } = useAnswer(AgentsOfSuiteRunDocument, { id });
  if (problem !== null) return <ProblemNote message={problem} onRetry={reload} />;
  if (answer === null) return <Loading what={`what changed in ${agentName}`} />;
  const { suiteRun } = answer;
  if (suiteRun?.baseline == null) return null;
  return (
    <div class="card">
      <h3>{agentName}</h3>
      <SidesDiffer head={suiteRun} base={suiteRun.baseline} />
    </div>
  );
}

function SidesDiffer({ head, base }: { head: TwoSides; base: NonNullable<TwoSides['baseline']> }) {
  const values = changedValues(base.resolvedVariables?.values, head.resolvedVariables?.values);
  if (head.agentHash === base.agentHash && values.length === 0)
    return (
      <p>
        The agent and its settings are the same on both sides: what differs is chance, the model behind it, or the
        cases.
      </p>
    );
  const [before, after] = [base.agentSnapshot, head.agentSnapshot];
  return (
    <>
      {head.agentHash !== base.agentHash &&
        (before === null || after === null ? (
          <p>The agent is another one; what it was has been removed by retention.</p>
        ) : (
          <>
            {before.instructions !== after.instructions && (
              <LineDifference
                base={before.instructions}
                head={after.instructions}
                label="Instructions, base and head"
              />
            )}
            <RestDiffers base={before.definition} head={after.definition} />
          </>
        ))}
      {values.length > 0 && (
        <table>
          <caption>Variables</caption>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">Base</th>
              <th scope="col">Head</th>
            </tr>
          </thead>
          <tbody>
            {values.map(([name, was, is]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{was}</td>
                <td>{is}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

/** The agent without its prompt, as JSON: tools, driver, AI configuration. */
function RestDiffers({ base, head }: { base: unknown; head: unknown }) {
  const [before, after] = [withoutPrompt(base), withoutPrompt(head)];
  if (before === after) return null;
  return <LineDifference base={before} head={after} label="The rest of the agent, base and head" />;
}

function withoutPrompt(definition: unknown): string {
  return JSON.stringify(
    definition,
    (key, value: unknown) =>
      key === 'instructions' || key === 'system_prompt' || key === 'systemPrompt' ? undefined : value,
    2,
  );
}

function changedValues(base: unknown, head: unknown): [name: string, base: string, head: string][] {
  const [before, after] = [recordOf(base), recordOf(head)];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((name): [string, string, string] => [name, valueText(before[name]), valueText(after[name])])
    .filter(([, was, is]) => was !== is);
}

export const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

export const valueText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
