import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fisherCase } from '../../domain/src/statistics/exact-tests.ts';
import { repetitionsAgainstHistory, repetitionsPerArm } from '../../domain/src/statistics/power.ts';
import { formatShare } from '../../domain/src/text/format-numbers.ts';
import { confirmationLevel } from '../../domain/src/verdict/confirm.ts';
import { isFlaky, measureFlakiness } from '../../domain/src/verdict/flakiness.ts';
import { firstLookShare } from '../../domain/src/verdict/gate-settings.ts';
import { settings } from '../../domain/src/verdict/sample-trials.fixture.ts';
import type { Change } from '../../domain/src/verdict/simulated-changes.fixture.ts';
import { type RoundPlan, simulateStopping } from '../../domain/src/verdict/simulated-changes.fixture.ts';
import { betweenMarks } from '../between-marks.ts';
import type { GeneratedFile } from '../generated-file.ts';
import { exampleVerdicts, quoted } from './statistics-examples.ts';
import { noiseShares, simulatedRates } from './statistics-pictures.ts';

/** Together they say how Proofmark decides. */
export const statisticsPages = ['docs/statistics.md', 'docs/verdicts.md', 'docs/repetitions.md'] as const;

/** The pages for readers who know percentages only, with every example decided and every figure computed by the code. */
export function statisticsPage(root: string): GeneratedFile[] {
  const verdicts = Object.entries(exampleVerdicts()).map(([name, verdict]) => [name, quoted(verdict)] as const);
  const blocks = [
    ...verdicts,
    ['hat', hat()],
    ['noise', noiseWords()],
    ['false-alarms', falseAlarmWords()],
    ['repetitions', repetitionTable()],
    ['flakiness', flakinessTable()],
    ['confirmation', confirmationTable()],
    ['stopping', stoppingTable()],
  ] as const;
  const texts = new Map(statisticsPages.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  for (const [name, block] of blocks) {
    const place = [...texts].find(([, text]) => text.includes(`<!-- ${name} -->`));
    if (place === undefined) throw new Error(`There is no place for ${name} on ${statisticsPages.join(', ')}`);
    const [path, text] = place;
    texts.set(path, betweenMarks(text, name, block));
  }
  return [...texts].map(([path, content]) => ({ path, content }));
}

/** One case, five times on each side. */
function hat(): string {
  const rows = [4, 3, 2, 1, 0].map((passed) => [
    `5/5 → ${passed}/5`,
    `${5 + passed} of 10`,
    formatShare(fisherCase([5, 5, passed, 5])),
  ]);
  return table(['main → pull request', 'passes in the hat', 'chance of so few for the pull request'], rows);
}

function noiseWords(): string {
  const alarming = noiseShares().filter(({ points }) => points <= -10);
  const share = alarming.reduce((sum, one) => sum + one.share, 0);
  return `With 20 cases run once, nothing changed, ${percent(share)} of the pairs show a "drop of 10 points or more".`;
}

function falseAlarmWords(): string {
  const found = simulatedRates('nothing');
  const worst = (rates: readonly number[]) => percent(Math.max(...rates));
  return [
    `In these simulations the rule "red from 10 points on" is wrong in up to ${worst(found.map(({ raw }) => raw))} of the pull`,
    `requests that changed nothing, Proofmark in up to ${worst(found.map(({ gate }) => gate))}.`,
  ].join(' ');
}

function repetitionTable(): string {
  const suite = { withinVariance: 0.09 };
  const rows = [10, 20, 50, 100].map((cases) => [
    String(cases),
    ...[0.03, 0.05, 0.1].map((drop) => {
      const both = repetitionsPerArm({ ...suite, cases, drop }).repetitions;
      const history = repetitionsAgainstHistory({ ...suite, cases, drop, baseTrials: 20 });
      return `${both}, or ${history === null ? 'not possible' : history.repetitions}`;
    }),
  ]);
  return table(['cases', 'drop of 3 points', 'drop of 5 points', 'drop of 10 points'], rows);
}

function flakinessTable(): string {
  const rows = [20, 19, 18, 14, 10, 4, 2, 1, 0].map((passed) => {
    const window = { passed, scored: 20 };
    return [
      `${passed}/20`,
      (measureFlakiness(window) ?? 0).toFixed(2),
      isFlaky(window) ? 'quarantined' : 'counts fully',
    ];
  });
  return table(['newest 20 runs on main', 'flakiness', ''], rows);
}

function confirmationTable(): string {
  const level = (confirm: 'off' | 'manual' | 'auto') =>
    formatShare(confirmationLevel(settings({ confirm }), 0.1)).replace(/^16\.7%$/, '16.7% (one in six)');
  const { alpha } = settings().gate;
  return table(
    ['`confirm`', 'who asks for the rerun', 'first look is red at', 'the rerun confirms at'],
    [
      ['`off`', 'nobody', formatShare(alpha), ''],
      ['`manual` (default)', 'a person', formatShare(alpha), level('manual')],
      ['`auto`', 'Proofmark, at once, without a server too', formatShare(alpha * firstLookShare), level('auto')],
    ],
  );
}

const stoppingPlans: readonly RoundPlan[] = [
  { cases: 50, rounds: 5 },
  { cases: 50, rounds: 10 },
];
const changes: readonly (readonly [Change, string])[] = [
  ['nothing', 'nothing'],
  ['pass rate −10 points', 'every case worse, 10 points in all'],
  ['10% of cases broken', 'one case in ten broke'],
];

function stoppingTable(): string {
  const rows = stoppingPlans.flatMap((plan) =>
    changes.map(([change, words]) => {
      const { fixed, sequential, used } = simulateStopping(change, plan, change === 'nothing' ? 2_000 : 300);
      return [`${plan.cases} × ${plan.rounds}`, words, percent(fixed), percent(sequential), percent(used, 0)];
    }),
  );
  return table(['plan', 'what the pull request did', 'red, every round run', 'red, may stop', 'trials used'], rows);
}

const percent = (share: number, digits = 1): string => `${(share * 100).toFixed(digits)}%`;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
