import { plural } from '@proofmark/domain/format-numbers';
import { useState } from 'preact/hooks';
import { useAnswer } from '../../data/use-answer.ts';
import { useAllRows } from '../../data/use-pages.ts';
import { SetUpCasesDocument, SetUpModelsDocument, SetUpSuitesDocument } from '../../operations/documents.ts';
import { Listed } from '../../parts/listed.tsx';
import { Empty, Folded, Loading, Pages, ProblemNote } from '../../parts/pieces.tsx';
import { Link, paths } from '../../parts/route.tsx';
import { recordOf, valueText } from '../../parts/values.ts';

/** Suites with their files, and cases with their lines. They are changed where they are defined: in the repository, or over GraphQL. */
export function Definitions() {
  const [after, setAfter] = useState<string | null>(null);
  const { answer, problem, reload } = useAnswer(SetUpSuitesDocument, { after });
  if (problem !== null) return <ProblemNote message={problem} onRetry={reload} />;
  if (answer === null) return <Loading what="the suites" />;
  const { edges, pageInfo } = answer.suites;
  if (edges.length === 0)
    return (
      <Empty title="There are no suites yet.">
        Write one in your repository: <code>proofmark init</code> makes the first.
      </Empty>
    );
  return (
    <>
      <h2>Suites and cases</h2>
      {edges.map(({ node: suite }) => (
        <div class="card" key={suite.id}>
          <div class="head">
            <h3>
              <Link to={paths.suite(suite.id)}>{suite.name}</Link>
            </h3>
            <span class="quiet">{suite.isEnabled ? '' : 'switched off'}</span>
          </div>
          <p class="quiet small">
            {[
              suite.path,
              `agent ${suite.agentName}${suite.agent?.configPath == null ? '' : ` (${suite.agent.configPath})`}`,
              suite.scheduleType === 'manual' ? null : `${suite.scheduleType} ${suite.scheduleTime ?? ''}`,
              suite.alertOnRegression ? `alert from ${suite.alertThresholdPercent} points` : 'no alert',
            ]
              .filter((part) => part !== null)
              .join(' · ')}
          </p>
          <Folded summary={plural(suite.caseCount, 'case')}>{() => <CasesOf id={suite.id} path={suite.path} />}</Folded>
        </div>
      ))}
      <Pages
        first={after === null ? null : ['First suites', () => setAfter(null)]}
        next={pageInfo.hasNextPage ? ['More suites', () => setAfter(pageInfo.endCursor)] : null}
      />
    </>
  );
}

const mostCases = 1_000;

function CasesOf({ id, path }: { id: string; path: string | null }) {
  const { rows, isComplete, isCut, problem, retry } = useAllRows(
    SetUpCasesDocument,
    { id },
    ({ suite }) => suite?.testCases,
    { mostRows: mostCases },
  );
  if (problem !== null) return <ProblemNote message={problem} onRetry={retry} />;
  if (!isComplete && !isCut) return <Loading what="the cases" />;
  return (
    <ul class="rows">
      {isCut && <li class="quiet">These are the first {plural(rows.length, 'case')}: the file has more.</li>}
      {rows.map(({ id: caseId, name, line, tags, difficulty, status, isEnabled }) => (
        <li key={caseId}>
          <div class="what">
            {name}
            {tags.map((tag) => (
              <span class="tag plain" key={tag}>
                {tag}
              </span>
            ))}
          </div>
          <span class="quiet small">
            {[
              difficulty === 'HARD' ? 'hard' : null,
              status === 'ACTIVE' ? null : status.toLowerCase(),
              isEnabled ? null : 'switched off',
              line === null ? null : `${path ?? ''}:${line}`,
            ]
              .filter((part) => part !== null)
              .join(' · ')}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** `input 0.25 · output 2`: what is known by name, one after the other. */
const factsText = (facts: unknown, show: (fact: string) => string = (fact) => fact): string =>
  Object.entries(recordOf(facts))
    .map(([name, fact]) => `${name} ${show(valueText(fact))}`)
    .join(' · ') || '–';

export function Models() {
  const answered = useAnswer(SetUpModelsDocument, {});
  return (
    <>
      <h2>AI configurations</h2>
      <Listed
        what="AI configurations"
        answered={answered}
        rowsOf={(answer) => answer.aiConfigurations.edges.map(({ node }) => node)}
        keyOf={({ id }) => id}
        columns={[
          ['Name', ({ name }) => name],
          ['Model', ({ provider, model }) => `${provider} · ${model}`],
          ['Endpoint', ({ baseUrl }) => baseUrl ?? 'of the provider'],
          ['Key', ({ apiKeyEnv }) => apiKeyEnv ?? '–'],
          ['Temperature', ({ temperature }) => temperature ?? '–'],
          ['Price of a million tokens', ({ price }) => factsText(price, (amount) => `$${amount}`)],
          ['Limits', ({ limits }) => factsText(limits)],
        ]}
        empty="They stand in proofmark.yaml and come with the first run."
      />
      <h2>Presets</h2>
      <Listed
        what="presets"
        answered={answered}
        rowsOf={(answer) => answer.presets.edges.map(({ node }) => node)}
        keyOf={({ id }) => id}
        columns={[
          ['Name', ({ name }) => name],
          ['Values', ({ values }) => factsText(values)],
        ]}
        empty="A preset is a named set of values of variables, in proofmark.yaml."
      />
    </>
  );
}
