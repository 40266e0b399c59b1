import { useEffect, useLayoutEffect } from 'preact/hooks';
import { useFollow, useWholeEnd } from '../../data/follow.ts';
import { useAnswer } from '../../data/use-answer.ts';
import {
  CaseOfSuiteRunDocument,
  type CaseOfSuiteRunQuery,
  OtherSideDocument,
  PageRunProgressDocument,
  TestRunPlaceDocument,
  WholeTestRunDocument,
} from '../../operations/documents.ts';
import { fileUrl } from '../../parts/forge-links.ts';
import { Gone, Loading, Mark, ProblemNote, useTitle } from '../../parts/pieces.tsx';
import { Link, OutLink, paths, place, setSearch } from '../../parts/route.tsx';
import { cellValues, isFinal, stateWord, titleOfRun } from '../../parts/words.ts';
import { TestRunActions } from './test-run-actions.tsx';
import { TwoSides } from './two-sides.tsx';
import type { CaseInSuiteRun } from './whole-test-run.ts';

type Repetition = NonNullable<CaseOfSuiteRunQuery['suiteRun']>['testRuns']['edges'][number]['node'];

/** A link to one test run leads to its case, at its repetition. */
export function TestRunById({ id }: { id: string }) {
  const { answer, problem, reload } = useAnswer(TestRunPlaceDocument, { id });
  if (problem !== null) return <ProblemNote message={problem} onRetry={reload} />;
  if (answer === null) return <Loading what="the test run" />;
  const { testRun } = answer;
  if (testRun === null)
    return (
      <Gone what="test run">
        <Link to="/runs">All runs</Link>
      </Gone>
    );
  return <CaseView suiteRunId={testRun.suiteRunId} caseName={testRun.caseName} repetition={testRun.repetition} />;
}

interface CaseViewProps {
  suiteRunId: string;
  caseName: string;
  repetition?: number;
}

/** One case in one suite run: what the agent said here and on the base, side by side, and what was made of it. */
export function CaseView({ suiteRunId, caseName, repetition }: CaseViewProps) {
  const { answer, problem, reload } = useAnswer(CaseOfSuiteRunDocument, { suiteRunId, caseName });
  useTitle(caseName);
  const followed = answer?.suiteRun ?? null;
  const lacksVerdict = followed !== null && followed.verdict === null;
  const isOver = followed !== null && isFinal(followed.run.status);
  useFollow(PageRunProgressDocument, lacksVerdict && !isOver ? { id: followed.run.id } : null, () => void reload());
  useWholeEnd(lacksVerdict && isOver, reload);
  if (problem !== null) return <ProblemNote message={problem} onRetry={reload} />;
  if (answer === null) return <Loading what="the case" />;
  const { suiteRun } = answer;
  const [repetitions, ofBase] = [repetitionsOf(suiteRun), repetitionsOf(suiteRun?.baseline)];
  if (suiteRun === null || repetitions.length === 0)
    return (
      <Gone what="case in this suite run">
        {suiteRun === null ? (
          <Link to="/runs">All runs</Link>
        ) : (
          <Link to={paths.suiteRun(suiteRunId)}>All cases of the suite run</Link>
        )}
      </Gone>
    );
  const wanted = Number.parseInt(place.value.search.get('repetition') ?? '', 10) || repetition;
  const chosen = repetitions.find((one) => one.repetition === wanted) ?? tellingMost(repetitions);
  const beside = ofBase.find((one) => one.repetition === chosen.repetition) ?? ofBase[0] ?? null;
  return (
    <>
      <p class="trail">
        <Link to="/runs">Runs</Link> / <Link to={paths.run(suiteRun.run.id)}>{titleOfRun(suiteRun.run)}</Link> /{' '}
        <Link to={paths.suiteRun(suiteRunId)}>
          {[suiteRun.suiteName, cellValues(suiteRun.cellKey)].filter((part) => part !== '').join(' · ')}
        </Link>
      </p>
      <OneTestRun
        suiteRun={suiteRun}
        caseName={caseName}
        repetitions={repetitions}
        chosen={chosen}
        ofBase={ofBase}
        beside={beside}
      />
    </>
  );
}

const repetitionsOf = (side: { testRuns: { edges: { node: Repetition }[] } } | null | undefined): Repetition[] =>
  (side?.testRuns.edges ?? []).map(({ node }) => node).toSorted((a, b) => a.repetition - b.repetition);

const worstFirst = ['FAILED', 'ERROR', 'RUNNING', 'QUEUED', 'SKIPPED', 'PASSED'];

/** Whoever comes without a repetition in mind wants to see one that did not pass. */
function tellingMost(repetitions: readonly Repetition[]): Repetition {
  const [worst] = repetitions.toSorted((a, b) => worstFirst.indexOf(a.status) - worstFirst.indexOf(b.status));
  if (worst === undefined) throw new Error('A case without repetitions is not shown');
  return worst;
}

interface OneTestRunProps {
  suiteRun: CaseInSuiteRun;
  caseName: string;
  repetitions: readonly Repetition[];
  chosen: Repetition;
  ofBase: readonly Repetition[];
  beside: Repetition | null;
}

function OneTestRun({ suiteRun, caseName, repetitions, chosen, ofBase, beside }: OneTestRunProps) {
  const { answer, problem, reload } = useAnswer(WholeTestRunDocument, { id: chosen.id });
  const base = useAnswer(OtherSideDocument, beside === null ? null : { id: beside.id });
  useRepetitionKeys(repetitions, chosen.repetition);
  const head = answer?.testRun ?? null;
  useReadAgain(head, chosen, reload);
  useReadAgain(base.answer?.testRun ?? null, beside, base.reload);
  const line = head?.testCase?.line ?? null;
  const { run, suitePath, verdict } = suiteRun;
  const isBroken = verdict?.flagged.includes(caseName) ?? false;
  return (
    <>
      <section class="card hero" aria-labelledby="case-name">
        <div class="head">
          <h1 id="case-name">{caseName}</h1>
          <span class="buttons">
            {isBroken && <Mark word={{ mark: '✗', text: 'broke', tone: 'failed' }} />}
            <Mark word={stateWord(chosen.status)} />
          </span>
        </div>
        {head?.testCase?.description != null && <p>{head.testCase.description}</p>}
        {suitePath !== null && (
          <p class="quiet small">
            <OutLink to={run.headSha === null ? null : fileUrl(run, { sha: run.headSha, path: suitePath, line })}>
              {suitePath}
              {line !== null && `:${line}`}
            </OutLink>
            {head?.testCase?.tags.map((tag) => (
              <span class="tag plain" key={tag}>
                {tag}
              </span>
            ))}
          </p>
        )}
        <Repetitions repetitions={repetitions} chosen={chosen.repetition} label="Head" />
        {ofBase.length > 0 && (
          <Repetitions repetitions={ofBase} chosen={beside?.repetition ?? null} label="Base" isPlain />
        )}
      </section>
      {problem !== null && <ProblemNote message={problem} onRetry={reload} />}
      {head === null && problem === null && <Loading what="the test run" />}
      {head !== null && (
        <>
          <TwoSides
            head={head}
            base={base.answer?.testRun ?? null}
            isBaseAwaited={beside !== null && base.answer === null && base.problem === null}
            judge={verdict?.judge ?? null}
            hasBase={suiteRun.baseline !== null}
          />
          <TestRunActions testRun={head} />
        </>
      )}
    </>
  );
}

/** What was read before its test run went on is read again. */
function useReadAgain(read: { status: string } | null, listed: Repetition | null, reload: () => Promise<void>): void {
  const status = listed?.status;
  const isOutdated = read !== null && status !== undefined && read.status !== status;
  useEffect(() => {
    if (isOutdated) void reload();
  }, [isOutdated, status]);
}

/** The repetitions in a row: `[` and `]`, or a click, lead to the next. */
function Repetitions({
  repetitions,
  chosen,
  label,
  isPlain = false,
}: {
  repetitions: readonly Repetition[];
  chosen: number | null;
  label: string;
  isPlain?: boolean;
}) {
  const passed = repetitions.filter(({ status }) => status === 'PASSED').length;
  return (
    <div class="repetitions">
      <span class="quiet">
        {label} {passed}/{repetitions.length}
      </span>
      {repetitions.map(({ repetition, status }) => {
        const word = stateWord(status);
        const text = (
          <>
            <span aria-hidden="true">{word.mark}</span> <span class="unseen">{word.text}, repetition </span>
            {repetition}
          </>
        );
        if (isPlain)
          return (
            <span key={repetition} class={`chip ${word.tone} ${repetition === chosen ? 'beside' : ''}`}>
              {text}
            </span>
          );
        return (
          <button
            key={repetition}
            type="button"
            class={`chip ${word.tone}`}
            aria-pressed={repetition === chosen}
            onClick={() => setSearch({ repetition: String(repetition) })}
          >
            {text}
          </button>
        );
      })}
      {!isPlain && repetitions.length > 1 && (
        <span class="quiet small keys">
          keys <kbd>[</kbd> <kbd>]</kbd>
        </span>
      )}
    </div>
  );
}

function useRepetitionKeys(repetitions: readonly Repetition[], chosen: number): void {
  // Before the choice is seen, so that no key pressed at once is lost.
  useLayoutEffect(() => {
    const onKey = ({ key, target, metaKey, ctrlKey, altKey }: KeyboardEvent): void => {
      const isTyping = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
      if (isTyping || metaKey || ctrlKey || (altKey && key !== '[' && key !== ']') || (key !== '[' && key !== ']'))
        return;
      const at = repetitions.findIndex(({ repetition }) => repetition === chosen) + (key === ']' ? 1 : -1);
      const next = repetitions[at];
      if (next !== undefined) setSearch({ repetition: String(next.repetition) });
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [repetitions, chosen]);
}
