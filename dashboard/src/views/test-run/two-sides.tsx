import { type CheckFindings, checkWords } from '@proofmark/domain/check-words';
import { formatMs, formatPrice, formatTokens, twoDecimals } from '@proofmark/domain/format-numbers';
import { sourceWords } from '@proofmark/domain/source-words';
import type { ComponentChildren } from 'preact';
import { type Span, Waterfall } from '../../parts/charts.tsx';
import { type Column, Rows } from '../../parts/listed.tsx';
import { Facts, Folded, Loading, LongText, Mark, When } from '../../parts/pieces.tsx';
import { recordOf, valueText } from '../../parts/values.ts';
import { stateWord } from '../../parts/words.ts';
import { judgeText } from '../suite-run/judge-text.ts';
import { Answer } from './answer.tsx';
import { Conversations, ToolCalls } from './calls-and-turns.tsx';
import type { CaseInSuiteRun, TestRunOfSide, WholeTestRun } from './whole-test-run.ts';

interface TwoSidesProps {
  head: WholeTestRun;
  base: TestRunOfSide | null;
  isBaseAwaited: boolean;
  hasBase: boolean;
  judge: NonNullable<CaseInSuiteRun['verdict']>['judge'] | null;
}

/** A test run beside the one of the base: why it did not pass, both answers, and all that led to them. */
export function TwoSides({ head, base, isBaseAwaited, hasBase, judge }: TwoSidesProps) {
  return (
    <>
      <Why testRun={head} />
      {hasBase && base === null && !isBaseAwaited && (
        <p class="quiet">The base has no such case, or its answers have been removed by retention.</p>
      )}
      {isBaseAwaited && <Loading what="the base" />}
      <section aria-labelledby="answers">
        <h2 id="answers">{base === null ? 'Answer' : 'Answers'}</h2>
        {head.testInput !== null && (
          <div class="card">
            <h3>Input</h3>
            <LongText text={head.testInput} label="Input" />
          </div>
        )}
        <div class="sides">
          {base !== null && (
            <Side title="Base" testRun={base}>
              <Answer text={base.response} other={head.response} side="base" />
            </Side>
          )}
          <Side title={base === null ? 'Answer' : 'Head'} testRun={head}>
            <Answer text={head.response} other={base?.response ?? null} side="head" />
          </Side>
        </div>
        {head.testCase?.groundTruth != null && (
          <div class="card">
            <h3>Expected answer</h3>
            <LongText text={head.testCase.groundTruth} label="Expected answer" />
          </div>
        )}
      </section>
      <Files testRun={head} />
      <Judgements head={head} base={base} judgeNote={judgeText(judge)} />
      <ToolCalls head={head} base={base} />
      <Conversations head={head} base={base} />
      <Details head={head} base={base} />
    </>
  );
}

const fileOfCase = (value: unknown) => {
  const { original, markdown_content: text, metadata, processing_time_ms: ms, error } = recordOf(value);
  const { path, url, type, description } = recordOf(original);
  return {
    name: valueText(path ?? url),
    kind: [type, description].map(valueText).filter((part) => part !== ''),
    facts: Object.entries(recordOf(metadata)).map(([name, fact]) => `${name} ${valueText(fact)}`),
    text: valueText(text),
    took: typeof ms === 'number' ? formatMs(ms) : null,
    problem: typeof error === 'string' ? error : null,
  };
};

/** The files that were read for it, as the agent got them. */
function Files({ testRun: { outcome } }: { testRun: TestRunOfSide }) {
  const { files } = recordOf(outcome);
  const read = Array.isArray(files) ? files.map(fileOfCase) : [];
  if (read.length === 0) return null;
  return (
    <section aria-labelledby="files">
      <h2 id="files">Files</h2>
      <div class="card">
        {read.map(({ name, kind, facts, text, took, problem }, at) => (
          <Folded
            key={`${at}`}
            summary={
              <>
                <code>{name}</code>{' '}
                <span class="quiet">
                  {[...kind, took === null ? null : `read in ${took}`, ...facts]
                    .filter((part) => part !== null)
                    .join(' · ')}
                </span>{' '}
                {problem !== null && <span class="bad">{problem}</span>}
              </>
            }
          >
            {() => <LongText text={text} label={`Text of ${name}`} />}
          </Folded>
        ))}
      </div>
    </section>
  );
}

/** Why it did not pass, the most telling reason first. */
function Why({ testRun }: { testRun: TestRunOfSide }) {
  const reasons = reasonsOf(testRun);
  if (testRun.status === 'PASSED' || reasons.length === 0) return null;
  return (
    <section class="card why-card" aria-labelledby="why">
      <h2 id="why">Why it did not pass</h2>
      <ul>
        {reasons.slice(0, 20).map((reason) => (
          <li key={reason}>{reason.slice(0, 2_000)}</li>
        ))}
      </ul>
    </section>
  );
}

function reasonsOf({
  errorKind,
  errorMessage,
  skipReason,
  checks,
  metricResults,
  outcomes,
  outcome,
}: TestRunOfSide): string[] {
  const tools: unknown = problemsOfTools(outcome);
  return [
    errorMessage === null ? null : `${errorKind?.toLowerCase() ?? ''} error: ${errorMessage}`,
    skipReason === null ? null : `Not executed: ${skipReason.replaceAll('_', ' ')}`,
    ...(Array.isArray(tools) ? tools.map((problem) => `tools: ${String(problem)}`) : []),
    ...checks
      .filter(({ status }) => status === 'fail' || status === 'error')
      .map((check) => `${checkName(check)}: ${reasonOf(check)}`),
    ...(outcomes?.criteria ?? [])
      .filter(({ status }) => status !== 'passed')
      .map(({ requirement, reasoning }) => `${requirement}: ${reasoning}`),
    ...metricResults.filter(({ passed }) => !passed).map((metric) => `${metric.metricName}: ${metricText(metric)}`),
  ].filter((reason) => reason !== null);
}

type Check = TestRunOfSide['checks'][number];
type Metric = TestRunOfSide['metricResults'][number];

const checkName = ({ type, turn }: Check): string => (turn === null ? type : `turn ${turn + 1}: ${type}`);
// The coordinator gives the details of a check as they were measured.
const reasonOf = ({ details, error }: Check): string => checkWords({ details: details as CheckFindings, error });

function problemsOfTools(outcome: unknown): unknown {
  const { tools } = recordOf(outcome);
  const { problems } = recordOf(tools);
  return problems;
}

function metricText({ score, threshold, scale, error, reasoning }: Metric): string {
  const ofScale = scale === null || scale === 1 ? '' : ` of ${scale}`;
  const needed = threshold === null ? '' : `, needed ${twoDecimals(threshold)}`;
  const said = score === null ? 'no score' : `${twoDecimals(score)}${ofScale}${needed}`;
  return [said, error, reasoning].filter((part) => part !== null && part !== '').join('. ');
}

function Side({ title, testRun, children }: { title: string; testRun: TestRunOfSide; children: ComponentChildren }) {
  return (
    <div class="card side">
      <div class="head">
        <h3>{title}</h3>
        <Mark word={stateWord(testRun.status)} />
      </div>
      {children}
    </div>
  );
}

interface Pair {
  head: TestRunOfSide;
  base: TestRunOfSide | null;
}

interface Judgement {
  key: string;
  name: string;
  state: string;
  text: string;
  by: string;
}

const checkStates: Readonly<Record<string, string>> = {
  pass: 'PASSED',
  fail: 'FAILED',
  error: 'ERROR',
  skip: 'SKIPPED',
};
const criterionStates: Readonly<Record<string, string>> = { passed: 'PASSED', failed: 'FAILED', inconclusive: 'ERROR' };

function judgementsOf({ checks, metricResults, outcomes, toolsMatched }: TestRunOfSide): Judgement[] {
  return [
    ...checks.map((check) => ({
      key: `check ${check.turn} ${check.index}`,
      name: checkName(check),
      state: checkStates[check.status] ?? 'ERROR',
      text: reasonOf(check),
      by: '',
    })),
    ...(toolsMatched === null
      ? []
      : [
          {
            key: 'tools',
            name: 'tools',
            state: toolsMatched ? 'PASSED' : 'FAILED',
            text: toolsMatched ? 'called as expected' : 'not called as expected',
            by: '',
          },
        ]),
    ...(outcomes?.criteria ?? []).map(({ id, requirement, status, reasoning }) => ({
      key: `outcome ${id}`,
      name: requirement === '' ? id : requirement,
      state: criterionStates[status] ?? 'ERROR',
      text: reasoning,
      by: '',
    })),
    ...metricResults.map((metric) => ({
      key: `metric ${metric.metricName}`,
      name: metric.metricName,
      state: metric.score === null ? 'ERROR' : metric.passed ? 'PASSED' : 'FAILED',
      text: metricText(metric),
      by: [
        metric.modelUsed === null ? null : `by ${metric.modelUsed}`,
        metric.evaluationTimeMs === 0 ? null : formatMs(metric.evaluationTimeMs),
      ]
        .filter((part) => part !== null)
        .join(', '),
    })),
  ];
}

/** Each check, metric and outcome on both sides; what did not pass comes first. */
function Judgements({ head, base, judgeNote }: Pair & { judgeNote: string | null }) {
  const own = judgementsOf(head);
  if (own.length === 0) return null;
  const before = new Map((base === null ? [] : judgementsOf(base)).map((one) => [one.key, one]));
  const rows = own.toSorted((a, b) => Number(a.state === 'PASSED') - Number(b.state === 'PASSED'));
  return (
    <section aria-labelledby="checks">
      <h2 id="checks">Checks</h2>
      {judgeNote !== null && <p class="quiet">The judge {judgeNote}.</p>}
      <Rows
        label="Checks"
        rows={rows}
        keyOf={({ key }) => key}
        columns={[
          ['Check', ({ name }) => <code>{name.slice(0, 300)}</code>],
          ...(base === null ? [] : [['Base', ({ key }) => <StateBefore was={before.get(key)} />] as Column<Judgement>]),
          [base === null ? 'Result' : 'Head', ({ state }) => <Mark word={stateWord(state)} />],
          [
            'Reason',
            ({ text, by }) => (
              <span class="reason">
                {text.slice(0, 4_000)} {by !== '' && <span class="quiet">{by}</span>}
              </span>
            ),
          ],
        ]}
      />
    </section>
  );
}

function StateBefore({ was }: { was: Judgement | undefined }) {
  return was === undefined ? <>–</> : <Mark word={stateWord(was.state)} title={was.text.slice(0, 500)} />;
}

/** What it took, and what it was given. */
function Details({ head, base }: Pair) {
  return (
    <section aria-labelledby="details">
      <h2 id="details">What it took</h2>
      <div class="sides">
        {base !== null && <Took title="Base" testRun={base} />}
        <Took title={base === null ? 'Took' : 'Head'} testRun={head} />
      </div>
      <Variables testRun={head} base={base} />
    </section>
  );
}

function Took({ title, testRun }: { title: string; testRun: TestRunOfSide }) {
  const {
    model,
    promptTokens,
    completionTokens,
    costUsd,
    latencyMs,
    attempt,
    retryCount,
    startedAt,
    degraded,
    truncated,
    recordedFrom,
  } = testRun;
  const spans = spansOf(testRun);
  return (
    <div class="card side">
      <h3>{title}</h3>
      <Facts
        facts={[
          ['Model', model],
          ['Tokens', promptTokens === null ? null : `${formatTokens(promptTokens)} in, ${completionTokens ?? 0} out`],
          ['Cost', costUsd === null ? null : formatPrice(costUsd)],
          ['Latency', latencyMs === null ? null : formatMs(latencyMs)],
          ['Attempt', `${attempt}${retryCount > 0 ? `, ${retryCount} retries` : ''}`],
          ['Started', startedAt === null ? null : <When time={startedAt} />],
          [
            'Noted',
            [degraded ? 'a check could not be computed' : '', truncated ? 'the answer was cut for keeping' : '']
              .filter(Boolean)
              .join(', ') || null,
          ],
          ['Answer of', recordedFrom],
        ]}
      />
      {spans.length > 0 && <Waterfall spans={spans} />}
    </div>
  );
}

const stepNames: Readonly<Record<string, string>> = {
  PENDING: 'waiting',
  PROCESSING_FILES: 'reading files',
  EXECUTING_AGENT: 'agent',
  EVALUATING: 'judging',
};

/** From the states that it went through, each until the next, and the tool calls inside. */
function spansOf({ progress, toolCalls, metricResults }: TestRunOfSide): Span[] {
  const steps = progress.slice(0, -1).map(({ state, atMs }, at) => ({
    name: stepNames[state] ?? state.toLowerCase().replaceAll('_', ' '),
    startMs: atMs,
    durationMs: (progress[at + 1]?.atMs ?? atMs) - atMs,
    kind: state === 'EXECUTING_AGENT' ? 'agent' : 'step',
  }));
  const agentStart = progress.find(({ state }) => state === 'EXECUTING_AGENT')?.atMs ?? 0;
  let at = agentStart;
  const calls = toolCalls.slice(0, 12).map(({ name, durationMs }) => {
    const span = { name, startMs: at, durationMs, kind: 'tool' };
    at += durationMs;
    return span;
  });
  const judging = steps.find(({ name }) => name === 'judging');
  const metrics = metricResults
    .filter(({ evaluationTimeMs }) => evaluationTimeMs > 0)
    .map(({ metricName, evaluationTimeMs }) => ({
      name: metricName,
      startMs: judging?.startMs ?? at,
      durationMs: evaluationTimeMs,
      kind: 'metric',
    }));
  return [...steps.filter(({ durationMs }) => durationMs > 0), ...calls, ...metrics];
}

function Variables({ testRun, base }: { testRun: TestRunOfSide; base: TestRunOfSide | null }) {
  const values = Object.entries(recordOf(testRun.resolvedVariables?.values));
  const sources = recordOf(testRun.resolvedVariables?.sources);
  const before = recordOf(base?.resolvedVariables?.values);
  if (values.length === 0) return null;
  return (
    <>
      <h2>Variables</h2>
      <Rows
        label="Variables"
        rows={values}
        keyOf={([name]) => name}
        columns={[
          ['Name', ([name]) => <code>{name}</code>],
          ...(base === null ? [] : [['Base', ([name]) => valueText(before[name])] as Column<[string, unknown]>]),
          [base === null ? 'Value' : 'Head', ([, value]) => valueText(value)],
          ['Set by', ([name]) => sourceText(sources[name])],
        ]}
      />
    </>
  );
}

const sourceText = (source: unknown): string =>
  Object.entries(sourceWords).find(([name]) => name === source)?.[1] ?? '';
