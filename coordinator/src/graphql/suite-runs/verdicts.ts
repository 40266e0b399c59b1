import type { JudgeCalibration } from '@proofmark/contracts/judge-measurement';
import type {
  MeasureComparison,
  Measures,
  TrialSummary,
  UnmeasuredMetric,
  Verdict,
} from '@proofmark/contracts/verdict';
import { builder } from '../builder.ts';
import type { GraphqlContext } from '../context.ts';
import { ConclusionType, VerdictWordType } from '../words.ts';
import { detailsOfSuiteRun, type VerdictBrief, verdictOfSuiteRun } from './read-suite-runs.ts';

const share = 'from 0 to 1; null where nothing was counted.';

const JudgeCalibrationType = builder.objectRef<JudgeCalibration>('JudgeCalibration').implement({
  description: 'How far the judge of a suite agrees with answers that people have labelled.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The file with the labelled answers.' }),
    judgeHash: t.exposeString('judgeHash', {
      description: 'Identity of the judge: models, parameters, prompt, rubric.',
    }),
    labels: t.exposeInt('labels', { description: 'Labelled answers in the file.' }),
    isMeasured: t.exposeBoolean('isMeasured', { description: 'Whether enough of them were decided about.' }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why not all of them were decided about; null when they were.',
    }),
    isWeak: t.exposeBoolean('isWeak', {
      description: 'Kappa is below 0.6: the check is neutral at most, whatever the verdict.',
    }),
    tpr: t.exposeFloat('tpr', {
      nullable: true,
      description: `Of the answers that people passed, the share that the judge passed too, ${share}`,
    }),
    tnr: t.exposeFloat('tnr', {
      nullable: true,
      description: `Of the answers that people failed, the share that the judge failed too, ${share}`,
    }),
    kappa: t.exposeFloat('kappa', {
      nullable: true,
      description: "Cohen's kappa: agreement beyond chance, at most 1.",
    }),
    agreement: t.exposeFloat('agreement', { nullable: true, description: `Share of equal decisions, ${share}` }),
    majorityAgreement: t.exposeFloat('majorityAgreement', {
      nullable: true,
      description: 'What a judge would reach that always gives the more frequent label.',
    }),
    correctedPassRate: t.exposeFloat('correctedPassRate', {
      nullable: true,
      description: 'The pass rate behind the one of the head, 0 to 100; null when the judge is no better than chance.',
    }),
  }),
});

const UnmeasuredMetricType = builder.objectRef<UnmeasuredMetric>('UnmeasuredMetric').implement({
  description: 'A metric that some test runs were to be measured by and gave no measure.',
  fields: (t) => ({
    metric: t.exposeString('metric', { description: 'Name of the metric.' }),
    measured: t.exposeInt('measured', { description: 'Test runs in which it was measured.' }),
    wanted: t.exposeInt('wanted', { description: 'Test runs in which it was to be measured.' }),
    reason: t.exposeString('reason', { description: 'Why it is missing; the most common reason.' }),
    isEnough: t.exposeBoolean('isEnough', {
      description: 'Whether it was measured in as many cases as the gate demands.',
    }),
  }),
});

const TrialSummaryType = builder.objectRef<TrialSummary>('TrialSummary').implement({
  description: 'One measure over test runs.',
  fields: (t) => ({
    mean: t.exposeFloat('mean', { description: 'Mean over the test runs.' }),
    p50: t.exposeFloat('p50', { description: 'Median over the test runs.' }),
    p95: t.exposeFloat('p95', { description: '95th percentile over the test runs.' }),
  }),
});

export const MeasureType = builder.objectRef<MeasureComparison>('MeasureComparison').implement({
  description: 'Time, tokens or money on both sides of a comparison, over test runs whose value is known.',
  fields: (t) => ({
    base: t.field({
      type: TrialSummaryType,
      nullable: true,
      description: 'The base; null when nothing is known of it.',
      resolve: ({ base }) => base,
    }),
    head: t.field({
      type: TrialSummaryType,
      nullable: true,
      description: 'The head; null when nothing is known of it.',
      resolve: ({ head }) => head,
    }),
    diff: t.float({
      nullable: true,
      description: 'Head minus base, mean over cases of both sides; null below two of them.',
      resolve: ({ diff }) => diff?.mean ?? null,
    }),
    diffLo: t.float({
      nullable: true,
      description: 'Lower end of its 95 % interval.',
      resolve: ({ diff }) => diff?.lo ?? null,
    }),
    diffHi: t.float({
      nullable: true,
      description: 'Upper end of its 95 % interval.',
      resolve: ({ diff }) => diff?.hi ?? null,
    }),
  }),
});

const nothing = { base: null, head: null, diff: null };
export const emptyMeasures: Measures = { latencyMs: nothing, tokens: nothing, costUsd: nothing };

const MeasuresType = builder.objectRef<Measures>('Measures').implement({
  description: 'What both sides of a comparison took.',
  fields: (t) => ({
    latencyMs: t.field({
      type: MeasureType,
      description: 'How long its agent took, in milliseconds.',
      resolve: ({ latencyMs }) => latencyMs,
    }),
    tokens: t.field({
      type: MeasureType,
      description: 'Its prompt and completion tokens together.',
      resolve: ({ tokens }) => tokens,
    }),
    costUsd: t.field({
      type: MeasureType,
      description: 'What one of its test runs cost.',
      resolve: ({ costUsd }) => costUsd,
    }),
  }),
});

/** A verdict as it is told; all of its cases are read where somebody asks for everything. */
type VerdictView = VerdictBrief & { whole: (context: GraphqlContext) => Promise<Verdict | null> };

export const wholeVerdict = (verdict: Verdict): VerdictView => ({ ...verdict, whole: async () => verdict });

/** The stored verdict of a suite run; null while it has none. */
export async function briefVerdict(context: GraphqlContext, suiteRunId: string): Promise<VerdictView | null> {
  const verdict = (await detailsOfSuiteRun(context, suiteRunId))?.verdict ?? null;
  return verdict && { ...verdict, whole: async (at) => (await verdictOfSuiteRun(at, suiteRunId))?.verdict ?? null };
}

const plain = (phrase: Verdict['paragraph']) =>
  phrase.map((part) => (typeof part === 'string' ? part : part.code)).join('');

export const VerdictType = builder.objectRef<VerdictView>('Verdict').implement({
  description: 'What the comparison with the baseline says about a suite run. Rates are percent.',
  fields: (t) => ({
    word: t.field({ type: VerdictWordType, description: 'The verdict in one word.', resolve: ({ word }) => word }),
    reason: t.exposeString('reason', {
      nullable: true,
      description:
        'What the word rests on: suite, cases, errors, confirmed, early, no_base, not_comparable, not_measured, old_base.',
    }),
    conclusion: t.field({
      type: ConclusionType,
      description: 'How the check ends.',
      resolve: ({ conclusion }) => conclusion,
    }),
    title: t.exposeString('title', { description: 'One line for people.' }),
    paragraph: t.string({ description: 'The same in a few sentences.', resolve: ({ paragraph }) => plain(paragraph) }),
    lines: t.stringList({
      description: 'Further sentences for people, most telling first.',
      resolve: ({ lines }) => lines.map(plain),
    }),
    basePassRate: t.exposeFloat('basePassRate', {
      nullable: true,
      description: 'Pass rate of the baseline, 0 to 100.',
    }),
    headPassRate: t.exposeFloat('headPassRate', {
      nullable: true,
      description: 'Pass rate of this suite run, 0 to 100.',
    }),
    diffPoints: t.exposeFloat('diffPoints', {
      nullable: true,
      description: 'Head minus base in percentage points, every comparable case with the same weight.',
    }),
    ciLoPoints: t.exposeFloat('ciLoPoints', { nullable: true, description: 'Lower end of its 95 % interval.' }),
    ciHiPoints: t.exposeFloat('ciHiPoints', { nullable: true, description: 'Upper end of its 95 % interval.' }),
    p: t.exposeFloat('p', { nullable: true, description: 'Exact one-sided p-value of a regression.' }),
    midp: t.exposeFloat('midp', {
      nullable: true,
      description: 'The same with half the chance of the very result: what decides.',
    }),
    baselineLabel: t.string({
      nullable: true,
      description: 'How the base was chosen, such as merge base, equal agent or 3 commits older.',
      resolve: ({ baseline }) => baseline?.label ?? null,
    }),
    flagged: t.exposeStringList('flagged', { description: 'Cases that got worse.' }),
    alertFired: t.boolean({
      description: 'Whether the alert rule of the suite fired.',
      resolve: ({ alert }) => alert.fired,
    }),
    newlyFailing: t.stringList({
      description: 'Cases that passed on the baseline and fail now.',
      resolve: ({ alert }) => alert.newlyFailing,
    }),
    belowMinimum: t.exposeBoolean('belowMinimum', {
      description: 'Whether the pass rate is below the minimum of the gate.',
    }),
    unmeasured: t.field({
      type: [UnmeasuredMetricType],
      nullable: true,
      description: 'Metrics that were not measured everywhere, and why; null: the verdict is older than this list.',
      resolve: ({ unmeasured }) => unmeasured,
    }),
    measures: t.field({
      type: MeasuresType,
      nullable: true,
      description: 'What both sides took, over test runs whose value is known; null without a base.',
      resolve: ({ measures }) => measures,
    }),
    judge: t.field({
      type: JudgeCalibrationType,
      nullable: true,
      description: 'How far the judge agrees with people; null where the suite names no labelled answers.',
      resolve: ({ judge }) => judge,
    }),
    detail: t.field({
      type: 'JSON',
      description: 'Everything that is needed to compute it again.',
      resolve: async ({ whole }, _args, context) => await whole(context),
    }),
  }),
});
