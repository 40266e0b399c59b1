import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { verdictLimits } from '../../benchmark/verdict-quality/limits.ts';
import { leastLabels, leastOfEach } from '../../contracts/src/definitions/calibration.ts';
import { Suite } from '../../contracts/src/definitions/suite.ts';
import { benjaminiHochberg, fisherCase } from '../../domain/src/statistics/exact-tests.ts';
import { smallestDetectableDrop } from '../../domain/src/statistics/power.ts';
import { lookAtPairs, type TrialPair } from '../../domain/src/statistics/sequential-look.ts';
import { flakinessWindow } from '../../domain/src/verdict/flakiness.ts';
import { alphaAtEnd, earlyBudget } from '../../domain/src/verdict/gate-settings.ts';
import { LEAST_KAPPA } from '../../domain/src/verdict/judge-calibration.ts';
import { settings } from '../../domain/src/verdict/sample-trials.fixture.ts';
import { statisticsPages } from './statistics-page.ts';

const page = statisticsPages.map((path) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')).join('\n');

/** What is written by hand, in one line: what stands between marks is generated, commands are commands. */
const prose = page
  .replaceAll(/<!-- ([\w-]+) -->[\s\S]*?<!-- \/\1 -->/g, '')
  .replaceAll(/```[\s\S]*?```/g, '')
  .replaceAll(/\]\([^)]*\)/g, ']')
  .replaceAll(/^\d\. /gm, '')
  .replaceAll(/\s+/g, ' ');

const { gate } = settings();
const sequential = settings({ stop: 'sequential' });
const twoRounds = { settings: sequential, isConcurrent: true, head: [{ repetition: 2 }] };
const percent = (share: number): string => `${Number((share * 100).toPrecision(3))}%`;
const alertThreshold = Suite.shape.alert_threshold_percent.parse(undefined);

/** Every sentence of the page with a figure of the product in it, as the code has the figure. */
const sentences = [
  `Luck alone explains the result in at most ${percent(gate.alpha)} of comparisons *and* the drop is at least ${gate.min_effect_percent} points`,
  `luck explains the drop in at most ${percent(gate.screen)} of comparisons`,
  `the drop reaches the suite's alert threshold of ${alertThreshold} points`,
  `A rule like "red when the pass rate drops by ${alertThreshold} points"`,
  `measures that from the newest ${flakinessWindow.trials} runs on the base branch`,
  `the ${percent(gate.alpha)} are split beforehand`,
  `in at most ${percent(earlyBudget(sequential))} of runs`,
  `the end of the run gets the other ${percent(alphaAtEnd(twoRounds)).replace('%', '')}%`,
  `both together stay at ${percent(gate.alpha)}`,
  `At a level of ${percent(gate.alpha)}, up to about one unchanged pull request in twenty is red`,
  `the highest rate ever accepted in our simulations is ${percent(verdictLimits('', 'nothing').most)}`,
  'warns when more than 20% of a suite is there',
  `the base has ${gate.history_trials} earlier runs of each case`,
  `${gate.history_trials} base runs are not enough`,
  '3 repetitions are the default** where runs are compared, 1 elsewhere. Use 5 for suites',
  'a case that passes 9 of 10 times',
  'see a drop in 4 of 5 pull requests',
  'a case that passed 21 of 21 times and now fails 3 of 3 is news',
  'So 5/5 → 2/5, which looks terrible, comes up by luck alone about once in twelve times. 5/5 → 0/5 hardly ever does',
  'round 3 is the third repetition',
  'When 90% of the labels are alike, 90% agreement means nothing',
  '`(observed + TNR − 1) / (TPR + TNR − 1)`, from 0 to 1: the pass rate without',
  'A judge with TPR + TNR of 1 or less has none: it is no better than chance',
  `Below a kappa of ${LEAST_KAPPA} the check is neutral`,
  `Fewer than ${leastLabels} labels, or than ${leastOfEach} of either kind`,
  'at 0 on the left',
  'At 20 × 1 the raw rule finds more',
  '`(observed + TNR − 1) / (TPR + TNR − 1)`, from 0 to 1',
  // The opening is a story, and years are years.
  'Before, 47 of 50 test cases passed; now it is 44',
  "(Fisher's exact test, 1935)",
  '(Benjamini–Hochberg, 1995)',
];

describe('the pages about statistics', () => {
  test.for(sentences)('says: %s', (sentence) => {
    expect(prose).toContain(sentence);
  });

  test('has no other figure outside of what is generated', () => {
    const rest = sentences.reduce((text, sentence) => text.replaceAll(sentence, ''), prose);
    expect(rest.match(/.{0,40}\d.{0,20}/g) ?? []).toEqual([]);
  });

  test('and what it says in words is so', () => {
    expect(1 / fisherCase([5, 5, 2, 5])).toBeCloseTo(12, 0);
    expect(fisherCase([5, 5, 0, 5])).toBeLessThan(0.005);
    expect(fisherCase([21, 21, 0, 3])).toBeLessThan(0.001);
    // Four times as many repetitions see half the drop.
    const drop = (repetitions: number) =>
      smallestDetectableDrop({ cases: 50, withinVariance: 0.9 * 0.1, repetitions, baseTrials: repetitions });
    expect(drop(12)).toBeCloseTo(drop(3) / 2, 12);
    const lost: TrialPair = { basePassed: true, headPassed: false, round: 1 };
    const rules = { alpha: gate.alpha, budget: earlyBudget(sequential) };
    const stops = (losses: number) =>
      lookAtPairs(
        Array.from({ length: losses }, () => [lost]),
        1,
        rules,
      ).stops;
    expect([stops(6), stops(7)]).toEqual([false, true]);
    // Whoever looks at a hundred cases finds a "one in a hundred".
    expect(benjaminiHochberg([0.01, ...Array.from({ length: 99 }, () => 1)])[0]).toBe(1);
  });
});
