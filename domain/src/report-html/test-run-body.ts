import { type CaseOutcome, checkName, type MetricDetail, type MetricResult } from '@proofmark/contracts/case-outcome';
import type { TestResult } from '@proofmark/contracts/test-report';
import type { ResolvedVariables } from '@proofmark/contracts/variables';
import { checkWords } from '../report/check-words.ts';
import { reportedReasons } from '../report/failure-reasons.ts';
import { totalCostUsd } from '../results/totals.ts';
import { formatMs, formatPrice, formatTokens, twoDecimals } from '../text/format-numbers.ts';
import { sourceWords } from '../variables/source-words.ts';
import { toolSection, transcriptSection } from './conversation.ts';
import { type Html, type HtmlPart, html, nameText, nothing, textBlock } from './html-text.ts';
import type { KeptTestRun, TestRunFacts } from './page-shapes.ts';

interface Beside {
  reasons: readonly string[];
  kept: KeptTestRun | null;
  named: NonNullable<TestRunFacts['named']>;
}

/** Everything about one test run: what was asked and answered, how it was judged, what it took. */
export function testRunBody(result: TestResult, { reasons, kept, named }: Beside): Html {
  const outcome = kept?.outcome ?? null;
  return html`${why(result, reasons)}${exchange(result)}${checkTable(outcome)}${criteria(outcome)}${metricTable(result, outcome)}${toolSection(result, outcome)}${outcome === null ? null : transcriptSection(outcome)}${files(result)}${kept?.variables == null ? null : variableTable(kept.variables)}${facts(result, outcome, named)}`;
}

const mostReasons = 40;

function why(result: TestResult, reasons: readonly string[]): Html {
  const told = reasons.length > 0 ? reasons : reportedReasons(result);
  if (result.passed || told.length === 0) return nothing;
  const items = told.slice(0, mostReasons).map((reason) => html`<li>${reason}</li>`);
  return html`<h5>Why it did not pass</h5><ul class="reasons">${items}</ul>`;
}

function exchange({ test_input, agent_response, ground_truth }: TestResult): Html {
  const answer = agent_response === null ? html`<p class="empty">(no response)</p>` : textBlock(agent_response);
  const truth = ground_truth === null ? nothing : html`<div><h5>Expected answer</h5>${textBlock(ground_truth)}</div>`;
  return html`<div class="exchange"><div><h5>Input</h5>${textBlock(test_input)}</div><div><h5>Response</h5>${answer}</div>${truth}</div>`;
}

const checkStates = {
  pass: ['passed', 'passed'],
  fail: ['failed', 'failed'],
  error: ['error', 'error'],
  skip: ['skipped', 'skipped'],
} as const;

const tag = (state: keyof typeof checkStates): Html =>
  html`<span class="tag ${checkStates[state][0]}">${checkStates[state][1]}</span>`;

function checkTable(outcome: CaseOutcome | null): Html {
  if (outcome === null || outcome.checks.length === 0) return nothing;
  const rows = outcome.checks.map(
    (check) =>
      html`<tr><th scope="row"><code>${nameText(checkName(check), 64)}</code></th><td>${tag(check.status)}</td><td class="text">${checkWords(check)}</td></tr>`,
  );
  return table({ title: 'Checks', head: ['Check', 'Result', 'Reason'], rows });
}

const criterionStates = { passed: 'pass', failed: 'fail', inconclusive: 'error' } as const;

function criteria(outcome: CaseOutcome | null): Html {
  if (outcome?.outcomes == null) return nothing;
  const { criteria: found, error, injectionAttempt } = outcome.outcomes;
  const rows = found.map(
    ({ id, requirement, reasoning, status }) =>
      html`<tr><th scope="row">${nameText(requirement === '' ? id : requirement, 300)}</th><td>${tag(criterionStates[status])}</td><td class="text">${reasoning}</td></tr>`,
  );
  const attempt = injectionAttempt
    ? html`<p class="note">The judge saw an attempt to instruct it. It decided nothing.</p>`
    : nothing;
  const broken = error === null ? nothing : html`<p class="why">${error}</p>`;
  return html`${table({ title: 'Outcomes', head: ['Outcome', 'Result', 'Reason'], rows })}${broken}${attempt}`;
}

function metricTable({ metric_results }: TestResult, outcome: CaseOutcome | null): Html {
  if (metric_results.length === 0) return nothing;
  const details = new Map(outcome?.metricDetails.map((detail) => [detail.metric_name, detail]));
  const rows = metric_results.map((metric) => metricRow(metric, details.get(metric.metric_name)));
  return table({ title: 'Metrics', head: ['Metric', 'Result', 'Score', 'Threshold', 'Reason'], rows });
}

function metricRow(metric: MetricResult, detail: MetricDetail | undefined): Html {
  const { metric_name, score, threshold, scale, passed, error, model_used, retry_count, evaluation_time_ms } = metric;
  const state = score === null ? 'error' : passed ? 'pass' : 'fail';
  const took = [
    model_used === null ? '' : `by ${model_used}`,
    evaluation_time_ms === 0 ? '' : formatMs(evaluation_time_ms),
    retry_count === 0 ? '' : `retries: ${retry_count}`,
  ].filter((part) => part !== '');
  const number = (value: number | null): string => (value === null ? '–' : twoDecimals(value));
  const ofScale = score === null || scale === null || scale === 1 ? '' : ` of ${scale}`;
  return html`<tr><th scope="row"><code>${nameText(metric_name, 64)}</code></th><td>${tag(state)}</td><td class="number">${number(score)}${ofScale}</td><td class="number">${number(threshold)}</td><td class="text">${error ?? detail?.reasoning ?? ''}${took.length === 0 ? null : html` <span class="meta">${took.join(', ')}</span>`}${stepsOf(detail)}</td></tr>`;
}

/** What a G-Eval metric was rated by. */
function stepsOf({ steps = [], stepsGenerated = false }: Partial<MetricDetail> = {}): Html {
  if (steps.length === 0) return nothing;
  const items = steps.map((step) => html`<li>${step}</li>`);
  return html`<details><summary>${stepsGenerated ? 'Steps, written by the model' : 'Steps'}</summary><ol>${items}</ol></details>`;
}

function files({ processed_files }: TestResult): Html {
  if (processed_files.length === 0) return nothing;
  const items = processed_files.map(({ original, markdown_content, error }) => {
    const name = nameText(original.path ?? original.url ?? 'file', 200);
    const state =
      error === null ? html`${markdown_content.length} characters` : html`<span class="why">${error}</span>`;
    return html`<li>${name} <span class="meta">${original.type}</span> ${state}</li>`;
  });
  return html`<h5>Files</h5><ol>${items}</ol>`;
}

function variableTable({ values, sources }: ResolvedVariables): Html {
  const setBy = new Map(Object.entries(sources).map(([name, source]) => [name, sourceWords[source]]));
  const rows = Object.entries(values).map(
    ([name, value]) =>
      html`<tr><th scope="row"><code>${nameText(name, 64)}</code></th><td class="text">${String(value)}</td><td>${setBy.get(name) ?? ''}</td></tr>`,
  );
  return rows.length === 0 ? nothing : table({ title: 'Variables', head: ['Variable', 'Value', 'Set by'], rows });
}

function facts(result: TestResult, outcome: CaseOutcome | null, named: Beside['named']): Html {
  const known: (readonly [string, HtmlPart])[] = [
    ['Execution time', formatMs(result.execution_time_ms)],
    ['Started', result.timestamp],
  ];
  if (outcome !== null) known.push(...factsOf(outcome));
  known.push(...named.map(([name, value]) => [name, nameText(value, 200)] as const));
  return html`<dl class="facts">${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

function factsOf(outcome: CaseOutcome) {
  const { model, latencyMs, usage, costUsd, retryCount, flags, degraded, truncated } = outcome;
  const notes = [
    degraded ? 'degraded: a check or metric could not be computed' : '',
    truncated ? 'the answer was cut for keeping' : '',
    ...flags,
  ].filter((note) => note !== '');
  const known: (readonly [string, HtmlPart])[] = [];
  if (model !== null) known.push(['Model', nameText(model, 100)]);
  if (latencyMs !== null) known.push(['Latency', formatMs(latencyMs)]);
  if (usage !== null) {
    known.push(['Prompt', formatTokens(usage.promptTokens)], ['Completion', formatTokens(usage.completionTokens)]);
  }
  if (costUsd !== null) known.push(['Cost', formatPrice(costUsd)]);
  const totalUsd = totalCostUsd(outcome);
  if (totalUsd !== null && totalUsd !== costUsd) known.push(['Cost with measuring', formatPrice(totalUsd)]);
  if (retryCount > 0) known.push(['Retries', retryCount]);
  if (notes.length > 0) known.push(['Noted', notes.join(', ')]);
  return known;
}

const numeric = new Set(['Score', 'Threshold']);

function table({ title, head, rows }: { title: string; head: readonly string[]; rows: readonly Html[] }): Html {
  const names = head.map((name) =>
    numeric.has(name) ? html`<th scope="col" class="number">${name}</th>` : html`<th scope="col">${name}</th>`,
  );
  return html`<h5>${title}</h5><div class="scroll"><table><thead><tr>${names}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
