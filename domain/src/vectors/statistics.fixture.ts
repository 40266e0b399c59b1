import { z } from 'zod';
import { betaBinomial } from '../statistics/beta-binomial.ts';
import { incompleteBeta, normalQuantile, studentQuantile } from '../statistics/continuous-distributions.ts';
import { benjaminiHochberg, exactStratified, fisherCase, mcnemarExact } from '../statistics/exact-tests.ts';
import { newcombePaired, newcombeUnpaired, pairedDifference, wilson } from '../statistics/intervals.ts';
import { casesForNewSuite, repetitionsPerArm } from '../statistics/power.ts';
import { passAtK, passHatK } from '../statistics/repetitions.ts';
import { eValue } from '../statistics/sequential-look.ts';
import { runGate } from '../verdict/gate.ts';
import { ladderDefaults } from '../verdict/ladder.ts';
import { adapter } from './adapter.fixture.ts';

const number = z.number();
const conf = number.default(0.95);
const Counts = z.tuple([number, number, number, number]);
const Cell = z.object({ x: number, n: number, y: number, r: number });
const Trials = z.object({ n: number, c: number, k: number });
const Discordant = z.object({ b: number, c: number });
const Clusters = z.array(z.string()).nullish();

const Parameters = z.object({
  alpha: number.default(ladderDefaults.alpha),
  strict: z.boolean().default(ladderDefaults.strict),
  minEffect: number.default(ladderDefaults.minEffect),
  alertDrop: number.default(ladderDefaults.alertDrop),
  fdr: number.default(ladderDefaults.fdr),
  screen: number.default(ladderDefaults.screen),
  minCoverage: number.default(ladderDefaults.minCoverage),
});

/** Indices, or one flag per case. */
const Quarantined = z.union([
  z.array(number),
  z.array(z.boolean()).transform((flags) => [...flags.keys()].filter((index) => flags[index])),
]);

/** Parameters may stand beside the cases, where they override the file's defaults, or in a block of their own. */
const GateQuestion = z.looseObject({
  cases: z.array(Counts),
  clusters: Clusters,
  quarantined: Quarantined.nullish(),
  planned: number.nullish(),
  defaults: z.looseObject({}).optional(),
  parameters: z.looseObject({}).optional(),
});

export const statistics = {
  'statistics.wilson': adapter(z.object({ k: number, n: number, conf }), ({ k, n, conf: confidence }) =>
    wilson({ passed: k, scored: n, confidence }),
  ),
  'statistics.mcnemarExact': adapter(Discordant, ({ b, c }) => mcnemarExact({ losses: b, wins: c })),
  'statistics.passAtK': adapter(Trials, ({ n, c, k }) => ({ value: passAtK({ scored: n, passed: c }, k) })),
  'statistics.passHatK': adapter(Trials, ({ n, c, k }) => ({ value: passHatK({ scored: n, passed: c }, k) })),
  'statistics.newcombeUnpaired': adapter(
    z.object({ k1: number, n1: number, k2: number, n2: number, conf }),
    ({ k1, n1, k2, n2, conf: confidence }) => newcombeUnpaired({ first: [k1, n1], second: [k2, n2], confidence }),
  ),
  'statistics.newcombePaired': adapter(
    z.object({ a: number, b: number, c: number, d: number, conf }),
    ({ a, b, c, d, conf: confidence }) =>
      newcombePaired({ bothPassed: a, baseOnly: b, headOnly: c, bothFailed: d }, confidence),
  ),
  'statistics.benjaminiHochberg': adapter(z.object({ p: z.array(number) }), ({ p }) => ({
    adjusted: benjaminiHochberg(p),
  })),
  'statistics.pairedDifference': adapter(
    z.object({ cases: z.array(Counts), clusters: Clusters }),
    ({ cases, clusters }) => pairedDifference(cases, clusters ? { clusters } : {}),
  ),
  'statistics.exactStratified': adapter(z.object({ cases: z.array(Counts) }), ({ cases }) => exactStratified(cases)),
  'statistics.fisherCase': adapter(Cell, ({ x, n, y, r }) => ({ p: fisherCase([x, n, y, r]) })),
  'statistics.betaBinomial': adapter(Cell, ({ x, n, y, r }) => betaBinomial([x, n, y, r])),
  'statistics.eValue': adapter(Discordant, ({ b, c }) => ({ e: eValue({ losses: b, wins: c }) })),
  'statistics.power.repeats': adapter(
    z.object({ m: number, meanWithinVar: number, delta: number, alpha: number, power: number }),
    ({ m, meanWithinVar, delta, alpha, power }) => {
      const plan = repetitionsPerArm({ cases: m, withinVariance: meanWithinVar, drop: delta, alpha, power });
      return { repeatsExact: plan.exact, repeats: plan.repetitions };
    },
  ),
  'statistics.power.miller': adapter(
    z.object({
      omega2: number,
      sA2: number,
      KA: number,
      sB2: number,
      KB: number,
      delta: number,
      alpha: number,
      power: number,
    }),
    ({ omega2, sA2, KA, sB2, KB, delta, alpha, power }) => ({
      n: casesForNewSuite({
        differenceVariance: omega2,
        base: { variance: sA2, trials: KA },
        head: { variance: sB2, trials: KB },
        drop: delta,
        alpha,
        power,
      }),
    }),
  ),
  'statistics.quantiles.normal': adapter(z.object({ p: number }), ({ p }) => ({ value: normalQuantile(p) })),
  'statistics.quantiles.t': adapter(z.object({ p: number, df: number }), ({ p, df }) => ({
    value: studentQuantile(p, df),
  })),
  'statistics.quantiles.betaInc': adapter(z.object({ a: number, b: number, x: number }), (point) => ({
    value: incompleteBeta(point),
  })),
  'statistics.gate': adapter(
    GateQuestion,
    ({ cases, clusters, quarantined, planned, defaults, parameters, ...beside }) =>
      runGate({
        cases,
        clusters: clusters ?? undefined,
        quarantined: quarantined ?? undefined,
        planned: planned ?? undefined,
        parameters: Parameters.parse({ ...defaults, ...beside, ...parameters }),
      }),
  ),
};
