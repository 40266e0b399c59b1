import { simulateGate } from '../../benchmark/verdict-quality/simulate-gate.ts';
import { smallestDetectableDrop } from '../../domain/src/statistics/power.ts';
import type { GeneratedFile } from '../generated-file.ts';
import { barChart, lineChart } from './svg-chart.ts';

/** The pictures of docs/statistics.md, drawn from the code that decides. */
export function statisticsPictures(): GeneratedFile[] {
  return [
    { path: 'docs/pictures/detectable-drop.svg', content: detectableDrop() },
    {
      path: 'docs/pictures/false-alarms.svg',
      content: rates('nothing', 'False alarms: nothing changed, how often is it called a regression?'),
    },
    {
      path: 'docs/pictures/detection.svg',
      content: rates('10% of cases broken', 'Detection: one case in ten broke, how often is it seen?'),
    },
  ];
}

function detectableDrop(): string {
  const repetitions = [1, 2, 3, 5, 8, 12, 20];
  return lineChart({
    title: 'Smallest drop that is seen in 4 of 5 pull requests (20 base trials per case)',
    xLabel: 'repetitions per case',
    yLabel: 'points',
    xs: repetitions,
    lines: [20, 50, 100].map((cases) => ({
      name: `${cases} cases`,
      ys: repetitions.map(
        (count) => smallestDetectableDrop({ cases, withinVariance: 0.09, baseTrials: 20, repetitions: count }) * 100,
      ),
    })),
  });
}

function rates(change: 'nothing' | '10% of cases broken', title: string): string {
  const plans = [
    { name: '20 cases × 1', cases: 20, base: 1, head: 1 },
    { name: '50 × 3', cases: 50, base: 3, head: 3 },
    { name: '50 × 5', cases: 50, base: 5, head: 5 },
    { name: '50 × 5, 20 base', cases: 50, base: 20, head: 5 },
  ];
  const found = plans.map((plan) => simulateGate(plan, change, 2_000));
  return barChart({
    title,
    groups: plans.map((plan) => plan.name),
    bars: [
      { name: 'raw drop of 10 points', values: found.map((one) => one.raw) },
      { name: 'paired t test', values: found.map((one) => one.pairedT) },
      { name: 'Proofmark', values: found.map((one) => one.gate) },
    ],
  });
}
