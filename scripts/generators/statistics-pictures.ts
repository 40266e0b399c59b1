import { smallestDetectableDrop } from '../../domain/src/statistics/power.ts';
import {
  type Change,
  dice,
  type Found,
  fallEverywhere,
  passes,
  simulateChange,
  simulateGate,
  suiteOf,
} from '../../domain/src/verdict/simulated-changes.fixture.ts';
import type { GeneratedFile } from '../generated-file.ts';
import { barChart, histogram, lineChart } from './svg-chart.ts';

/** The plans of both bar charts and of the benchmark. */
const simulatedPlans = [
  { name: '20 cases × 1', cases: 20, base: 1, head: 1 },
  { name: '50 cases × 3', cases: 50, base: 3, head: 3 },
  { name: '50 cases × 5', cases: 50, base: 5, head: 5 },
  { name: '50 × 5, history of 20', cases: 50, base: 20, head: 5 },
] as const;

/** Enough for a picture; the benchmark runs more. */
const pictureSimulations = 1_000;
/** Rare events need more of them. */
const rareSimulations = 6_000;

const simulated = new Map<Change, Found[]>();

/** How often each rule is red, for each plan. */
export function simulatedRates(change: 'nothing' | '10% of cases broken'): Found[] {
  const repeats = change === 'nothing' ? rareSimulations : pictureSimulations;
  const found = simulated.get(change) ?? simulatedPlans.map((plan) => simulateGate(plan, change, repeats));
  simulated.set(change, found);
  return found;
}

/** The pictures of docs/statistics.md, drawn from the code that decides. */
export function statisticsPictures(): GeneratedFile[] {
  return [
    { path: 'docs/pictures/noise.svg', content: noise() },
    {
      path: 'docs/pictures/false-alarms.svg',
      content: rates('nothing', {
        title: 'False alarms: nothing changed. How often is the pull request red?',
        top: 0.2,
        limit: { at: 0.056, name: 'our limit: 5.6%' },
      }),
    },
    {
      path: 'docs/pictures/detection.svg',
      content: rates('10% of cases broken', {
        title: 'Detection: one case in ten broke. How often is the pull request red?',
        top: 1,
      }),
    },
    { path: 'docs/pictures/power.svg', content: power() },
    { path: 'docs/pictures/detectable-drop.svg', content: detectableDrop() },
  ];
}

/** How far the pass rate of an unchanged agent moves between two runs of 20 cases. */
export function noiseShares(): { points: number; share: number }[] {
  const roll = dice(1_905);
  const rates = suiteOf(20);
  const counts = new Map<number, number>();
  const repeats = 10_000;
  const run = () => rates.reduce((sum, rate) => sum + passes(1, rate, roll), 0);
  for (let index = 0; index < repeats; index += 1) {
    const difference = run() - run();
    counts.set(difference, (counts.get(difference) ?? 0) + 1);
  }
  return Array.from({ length: 11 }, (_, index) => index - 5).map((cases) => ({
    points: cases * 5,
    share: (counts.get(cases) ?? 0) / repeats,
  }));
}

function noise(): string {
  return histogram({
    title: 'The same agent twice: how far apart are the two pass rates?',
    xLabel: 'difference in points between two runs of 20 cases, nothing changed',
    yLabel: 'share of pairs',
    ...{ top: 0.28, unit: '%' },
    columns: noiseShares().map(({ points, share }) => ({ at: points, share, isMarked: points <= -10 })),
    marked: 'a “drop of 10 points or more”',
    usual: 'everything else',
  });
}

/** From no drop to twenty points, for suites of 50 cases. */
const powerDrops = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20];

/** How often each rule is red, by the true drop. */
function power(): string {
  const base = suiteOf(50);
  const at = (repetitions: number) =>
    powerDrops.map((drop) =>
      simulateChange(
        { name: '', cases: 50, base: repetitions, head: repetitions },
        { base, head: fallEverywhere(base, drop / 100), seed: drop },
        drop === 0 ? pictureSimulations : 400,
      ),
    );
  const [once, thrice, often] = [at(1), at(3), at(5)];
  return lineChart({
    title: 'Power: how often a true drop turns the pull request red (50 cases)',
    xLabel: 'true drop of the pass rate in points',
    yLabel: 'share of pull requests that are red',
    ...{ top: 1, unit: '%' },
    xs: powerDrops,
    lines: [
      { name: 'raw rule, 10 points, × 5', ys: often.map(({ raw }) => raw) },
      { name: 'Proofmark × 1', ys: once.map(({ gate }) => gate) },
      { name: '× 3', ys: thrice.map(({ gate }) => gate) },
      { name: '× 5', ys: often.map(({ gate }) => gate) },
    ],
  });
}

function detectableDrop(): string {
  const repetitions = [1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20];
  return lineChart({
    title: 'What repetitions buy: the smallest drop seen in 4 of 5 pull requests',
    xLabel: 'repetitions per case, on both sides',
    yLabel: 'points',
    ...{ top: 24, unit: 'points' },
    xs: repetitions,
    lines: [10, 20, 50, 100].map((cases) => ({
      name: `${cases} cases`,
      ys: repetitions.map(
        (count) => smallestDetectableDrop({ cases, withinVariance: 0.09, baseTrials: count, repetitions: count }) * 100,
      ),
    })),
  });
}

function rates(
  change: 'nothing' | '10% of cases broken',
  axes: { title: string; top: number; limit?: { at: number; name: string } },
): string {
  const found = simulatedRates(change);
  return barChart({
    ...axes,
    ...{ unit: '%', xLabel: 'cases × repetitions on both sides', yLabel: 'share of pull requests that are red' },
    groups: simulatedPlans.map(({ name }) => name),
    bars: [
      { name: 'raw drop of 10 points', values: found.map(({ raw }) => raw) },
      { name: 'paired t test', values: found.map(({ pairedT }) => pairedT) },
      { name: 'Proofmark', values: found.map(({ gate }) => gate) },
    ],
  });
}
