import { dirname } from 'node:path';
import { settingsOf } from '@proofmark/domain/choose-model';
import { LEAST_KAPPA } from '@proofmark/domain/judge-calibration';
import { openOwnPorts } from '@proofmark/embedded/case-ports';
import { collectDefinitions } from '@proofmark/embedded/collect-definitions';
import { readModelKeys } from '@proofmark/embedded/environment';
import { type MeasuredMetric, measureMetrics, readLabels } from './measure-metrics.ts';

interface JudgeToMeasure {
  /** A project file; its AI configurations are the judges that there are. */
  project: string;
  /** The name of one; absent: the only one. */
  configuration: string | undefined;
  /** The folder with the labelled answers. */
  labels: string;
  concurrency: number;
  environment: Record<string, string | undefined>;
  signal: AbortSignal;
}

type MeasuredJudge = { ok: true; metrics: MeasuredMetric[]; isGood: boolean } | { ok: false; problem: string };

/** Measures one AI configuration as a judge. Good is a kappa of 0.6 in every metric, and a decision about every answer. */
export async function measureJudge(given: JudgeToMeasure): Promise<MeasuredJudge> {
  const { project, labels, concurrency, environment, signal } = given;
  const root = dirname(project);
  const { definitions } = collectDefinitions({ root });
  const known = definitions.project.ai_configurations;
  const names = Object.keys(known);
  const name = given.configuration ?? (names.length === 1 ? names[0] : undefined);
  const judge = name === undefined ? undefined : settingsOf(known, name);
  if (judge === undefined)
    return { ok: false, problem: `Name an AI configuration of ${project}: ${names.join(', ') || 'it has none'}.` };
  const keys = readModelKeys(environment);
  if (!keys.ok) return { ok: false, problem: keys.problems.join('\n') };
  await using open = openOwnPorts({ keys: keys.keys, root });
  const tests = await readLabels(labels);
  const metrics = await measureMetrics({ tests, judge, ports: open.ports, concurrency, signal });
  const isGood = metrics.every(
    ({ agreement, unjudged }) => (agreement.kappa ?? 0) >= LEAST_KAPPA && unjudged.length === 0,
  );
  return { ok: true, metrics, isGood };
}

/** Confusion and kappa of each metric, and below them the answers that the judge decided otherwise than people. */
export function judgesReport(metrics: readonly MeasuredMetric[]): string {
  const head = row(['metric', 'people: passed', 'people: failed', 'not judged', 'agreement', 'kappa']);
  const rows = metrics.map(({ metric, counts, agreement, unjudged }) => {
    const { truePasses, falseFails, trueFails, falsePasses } = counts;
    const kappa = agreement.kappa === null ? '-' : agreement.kappa.toFixed(2);
    return row([
      metric,
      `${truePasses} passed, ${falseFails} failed`,
      `${falsePasses} passed, ${trueFails} failed`,
      String(unjudged.length),
      agreement.agreement === null ? '-' : `${(agreement.agreement * 100).toFixed(1)}%`,
      (agreement.kappa ?? 0) < LEAST_KAPPA ? `${kappa}  below ${LEAST_KAPPA}` : kappa,
    ]);
  });
  const different = metrics.flatMap(({ disagreements, unjudged }) => [...disagreements, ...unjudged]);
  const list = different.map(
    ({ metric, place, label, decision, response, reasoning }) =>
      `${place}  ${metric}: people ${label}, the judge ${decision ?? 'did not decide'}: ${short(response)}\n    ${short(reasoning)}\n`,
  );
  return [`${head}\n`, ...rows.map((line) => `${line}\n`), ...(list.length === 0 ? [] : ['\n', ...list])].join('');
}

const widths = [22, 22, 22, 11, 11, 8];
const row = (cells: readonly string[]): string =>
  cells
    .map((cell, at) => cell.padEnd(widths[at] ?? 0))
    .join('  ')
    .trimEnd();

const longest = 120;
function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}
