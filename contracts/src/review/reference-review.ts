import type { Metric } from '../definitions/metrics.ts';
import { metricNeeds } from '../definitions/standard-metrics.ts';
import type { TestCase } from '../definitions/test-case.ts';
import { type Finding, warning } from '../parse/finding.ts';

/** What the metrics of a case need of its `ground_truth`: that there is one, and that they can work with it. */
export function referenceFindings({ ground_truth: reference, name }: TestCase, metrics: readonly Metric[]): Finding[] {
  const comparing = metrics.filter((metric) => metricNeeds(metric)?.groundTruth === true);
  if (comparing.length === 0) return [];
  if (reference === null) return [missingReference(name, comparing)];
  // With a placeholder the text is only known when the case runs.
  if (reference.includes('{{')) return [];
  return comparing
    .filter(({ type }) => type === 'standard')
    .flatMap((metric) => {
      const message = unsuited(metric, reference);
      return message === undefined ? [] : [warning(['ground_truth'], 'invalid_value', message.text, message.hint)];
    });
}

function missingReference(name: string, metrics: readonly Metric[]): Finding {
  const names = metrics.map(({ metric }) => `\`${metric}\``).join(', ');
  const what = metrics.length === 1 ? `the metric ${names} compares` : `the metrics ${names} compare`;
  return {
    path: [],
    code: 'required',
    message: `case \`${name}\` needs a \`ground_truth\`: ${what} with it`,
    hint: 'Add `ground_truth`, or list the metrics of the case in `evaluations`.',
  };
}

interface Advice {
  text: string;
  hint?: string;
}

const others = 'Use `similarity` or `semantic_similarity`, which read every script.';

function unsuited(metric: Metric, reference: string): Advice | undefined {
  if (metric.metric === 'numeric' && !isUsableNumber(metric, reference)) return notNumeric(reference);
  if (metric.metric === 'meteor') return tooShort(metric, reference);
  const isRouge = ['rouge', 'rouge1', 'rouge2', 'rougeL'].includes(metric.metric);
  if (isRouge && /[^\p{ASCII}]/u.test(reference.replaceAll(/[^\p{L}\p{N}]/gu, '')))
    return { text: `\`${metric.metric}\` sees only the letters a to z and digits of \`ground_truth\``, hint: others };
  return undefined;
}

function notNumeric(reference: string): Advice {
  const text = '`ground_truth` is not a number, so the metric `numeric` can never pass';
  if (reference.trim().endsWith('%')) return { text, hint: 'Set `accept_percent: true` on the metric.' };
  return /^[\s\d,_.+-]+$/.test(reference)
    ? { text, hint: 'Set `accept_thousands_separators: true` on the metric.' }
    : { text };
}

function isUsableNumber({ accept_percent, accept_thousands_separators }: Metric, reference: string): boolean {
  const whole = reference.trim();
  const number = accept_percent === true ? whole.replace(/%$/, '').trim() : whole;
  const plain = accept_thousands_separators === true ? number.replaceAll(/[,_\u00A0\u202F]/g, '') : number;
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(plain) && Number.isFinite(Number(plain));
}

/** The penalty for one chunk weighs the more the fewer words there are: `yes` against `yes` is 0.5. */
function tooShort({ threshold, scale = 1 }: Metric, reference: string): Advice | undefined {
  const words = reference.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu)?.length ?? 0;
  if (threshold === undefined || words === 0) return undefined;
  const best = (1 - 0.5 / words ** 3) * scale;
  if (threshold <= best + 1e-9) return undefined;
  const length = words === 1 ? 'one word' : `${words} words`;
  return {
    text: `a \`ground_truth\` of ${length} reaches at most ${Number(best.toFixed(4))} with \`meteor\`, below its threshold ${threshold}`,
    hint: 'Lower the threshold, or use `equality` or `f1` for short answers.',
  };
}
