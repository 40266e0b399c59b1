import type { CaseComparison, MeasureComparison, Phrase, TrialCounts, Verdict } from '@proofmark/contracts/verdict';
import { formatPoints, formatPrice, formatProbability, formatRate } from '../text/format-numbers.ts';
import { type GateWord, gateWord } from '../verdict/gate-word.ts';
import { toldInterval } from '../verdict/told-interval.ts';
import { intervalChart } from './charts.ts';
import { type Html, html, nameText, nothing } from './html-text.ts';

/** What the comparison with the base says, in the words of the gate, and the cases that differ. */
export function verdictSection(verdict: Verdict): Html {
  const { title, paragraph, lines, word, conclusion } = verdict;
  const told = lines.map((line) => html`<p>${phraseText(line)}</p>`);
  const said = gateWords[gateWord(verdict)];
  // Where nothing was decided without a base, it is a remark and no verdict.
  if (word === 'no-baseline' && conclusion === 'neutral')
    return html`<div class="remark"><p>${said}. ${title}</p>${told}</div>`;
  return html`<div class="verdict ${toneOf(conclusion)}"><h3><span class="label">${said}</span> ${title}</h3><p>${phraseText(paragraph)}</p>${difference(verdict)}${told}${numbers(verdict)}</div>`;
}

const gateWords: Record<GateWord, string> = {
  accepted: 'Accepted',
  neutral: 'Neutral',
  refused: 'Refused',
  'not judged': 'Not judged',
};

/** The tables behind the sentences, folded: whoever doubts them unfolds. */
function numbers(verdict: Verdict): Html {
  const [cases, measures] = [caseTable(verdict), measureTable(verdict)];
  if (cases.markup === '' && measures.markup === '') return nothing;
  return html`<details class="fold"><summary>Numbers behind it: ${cases.markup === '' ? null : 'case by case'}${cases.markup === '' || measures.markup === '' ? null : ', '}${measures.markup === '' ? null : 'latency, tokens and cost'}</summary>${cases}${measures}</details>`;
}

function toneOf(conclusion: Verdict['conclusion']): string {
  if (conclusion === 'success') return 'good';
  return conclusion === 'failure' || conclusion === 'timed_out' ? 'bad' : 'open';
}

/** A phrase of ours in which names of others are code. */
export const phraseText = (parts: Phrase): Html =>
  html`${parts.map((part) => (typeof part === 'string' ? html`${part}` : html`<code>${nameText(part.code)}</code>`))}`;

function difference(verdict: Verdict): Html {
  const { basePassRate, headPassRate, diffPoints } = verdict;
  if (diffPoints === null || basePassRate === null || headPassRate === null) return nothing;
  const interval = toldInterval(verdict);
  const chart = interval === null ? nothing : intervalChart({ diff: diffPoints, ...interval });
  return html`<div class="difference"><p class="big">${formatRate(basePassRate)} → ${formatRate(headPassRate)} <span>${formatPoints(diffPoints)}</span></p>${chart}</div>`;
}

const mostCases = 50;

function caseTable({ cases }: Verdict): Html {
  const different = cases.filter(isDifferent).sort((a, b) => (a.p ?? 2) - (b.p ?? 2));
  if (different.length === 0) return nothing;
  const rows = different
    .slice(0, mostCases)
    .map(
      ({ caseName, base, head, p, notComparable, quarantined }) =>
        html`<tr><th scope="row">${nameText(caseName, 120)}${quarantined ? html` <span class="tag">flaky</span>` : null}${notComparable ? html` <span class="tag">changed</span>` : null}</th><td class="number">${share(base)}</td><td class="number">${share(head)}</td><td class="number">${p === null ? '' : formatProbability(p)}</td></tr>`,
    );
  const rest = different.length - rows.length;
  return html`<div class="scroll"><table><caption>Cases that differ</caption><thead><tr><th scope="col">Case</th><th scope="col" class="number">Base</th><th scope="col" class="number">Head</th><th scope="col" class="number">p</th></tr></thead><tbody>${rows}</tbody></table></div>${rest > 0 ? html`<p class="note">${rest} more cases differ.</p>` : null}`;
}

function isDifferent({ base, head, notComparable }: CaseComparison): boolean {
  if (notComparable) return true;
  if (base === null || head === null) return false;
  return base.passed * scored(head) !== head.passed * scored(base);
}

const scored = ({ passed, failed }: TrialCounts): number => passed + failed;

const share = (counts: TrialCounts | null): string =>
  counts === null || scored(counts) === 0 ? 'n/a' : `${counts.passed}/${scored(counts)}`;

function measureTable({ measures }: Verdict): Html {
  if (measures === null) return nothing;
  const rows = [
    measureRow('Latency', measures.latencyMs, (value) => `${Math.round(value)} ms`),
    measureRow('Tokens', measures.tokens, (value) => `${Math.round(value)}`),
    measureRow('Cost', measures.costUsd, formatPrice),
  ].flat();
  if (rows.length === 0) return nothing;
  return html`<div class="scroll"><table><caption>What it takes, mean of a test run</caption><thead><tr><th scope="col">Measure</th><th scope="col" class="number">Base</th><th scope="col" class="number">Head</th><th scope="col" class="number">p95</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

function measureRow(name: string, { base, head }: MeasureComparison, show: (value: number) => string): Html[] {
  if (base === null || head === null) return [];
  return [
    html`<tr><th scope="row">${name}</th><td class="number">${show(base.mean)}</td><td class="number">${show(head.mean)}</td><td class="number">${show(base.p95)} → ${show(head.p95)}</td></tr>`,
  ];
}
