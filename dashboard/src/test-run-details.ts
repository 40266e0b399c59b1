import { type TestRun, TestRunAnswer, type TestRunDetail } from './answers.ts';
import { ask } from './ask.ts';
import { element, folded } from './element.ts';
import { stateWord } from './words.ts';

interface Around {
  /** Whether its case has further repetitions. */
  hasSiblings: boolean;
  /** Why it did not pass, the most telling reason first. */
  reasons: readonly string[];
}

/** One test run below its case: why it ended so, the answer, and what led to it. Loaded when the case is unfolded. */
export function testRunDetails({ id, repetition, status }: TestRun, { hasSiblings, reasons }: Around): HTMLElement {
  const word = stateWord(status);
  const content = element('div', {}, element('p', { className: 'quiet' }, 'Loading…'));
  void ask(TestRunAnswer, { query: 'testRun', variables: { id } }).then((asked) => {
    const detail = asked.ok ? asked.answer.testRun : null;
    const problem = asked.ok ? 'There is no such test run any more.' : asked.message;
    content.replaceChildren(
      ...(detail === null ? [element('p', { className: 'bad' }, problem)] : parts(detail, reasons)),
    );
  });
  const title = hasSiblings
    ? element('h3', {}, `Repetition ${repetition} `, element('span', { className: word.tone }, word.text))
    : null;
  return element('div', { className: 'inside' }, title, content);
}

function parts(detail: TestRunDetail, reasons: readonly string[]): HTMLElement[] {
  const { errorKind, errorMessage, skipReason, testInput, response, transcript, toolCalls } = detail;
  const found: (HTMLElement | null)[] = [
    whyNot(reasons),
    errorMessage === null || reasons.length > 0
      ? null
      : element('p', { className: 'warn' }, `${errorKind?.toLowerCase() ?? 'error'}: ${errorMessage}`),
    skipReason === null ? null : element('p', { className: 'quiet' }, `Skipped: ${skipReason}`),
    judgements(detail),
    quote('Input', testInput),
    quote('Answer', response),
    transcript.length > 2 ? folded([`Whole conversation (${transcript.length} turns)`], () => turns(transcript)) : null,
    toolCalls.length > 0 ? folded([`Tool calls (${toolCalls.length})`], () => calls(toolCalls)) : null,
    element('p', { className: 'quiet' }, footnote(detail)),
  ];
  return found.filter((part) => part !== null);
}

function whyNot(reasons: readonly string[]): HTMLElement | null {
  if (reasons.length === 0) return null;
  return element('ul', { className: 'rows' }, ...reasons.map((reason) => element('li', { className: 'bad' }, reason)));
}

/** Each check, metric and outcome, those that did not pass first. */
function judgements({ checks, metricResults, outcomes, toolsMatched }: TestRunDetail): HTMLElement | null {
  const said = [
    ...checks.map(({ type, status }) => ({ isGood: status === 'pass' || status === 'skip', text: type })),
    ...(toolsMatched === null
      ? []
      : [{ isGood: toolsMatched, text: toolsMatched ? 'tools: called as expected' : 'tools: not called as expected' }]),
    ...metricResults.map(({ metricName, score, threshold, passed, error, reasoning }) => ({
      isGood: passed,
      text: `${metricName}: ${error ?? `${score ?? 'no score'}${threshold === null ? '' : ` of at least ${threshold}`}`}${reasoning === null ? '' : `. ${reasoning}`}`,
    })),
    ...(outcomes?.criteria ?? []).map(({ requirement, status, reasoning }) => ({
      isGood: status === 'passed',
      text: `${requirement}: ${status}. ${reasoning}`,
    })),
  ];
  if (said.length === 0) return null;
  const rows = said
    .toSorted((a, b) => Number(a.isGood) - Number(b.isGood))
    .map(({ isGood, text }) =>
      element('li', {}, element('span', { className: isGood ? 'good' : 'bad' }, isGood ? '✓ ' : '✗ '), text),
    );
  return element('div', {}, element('h3', {}, 'Checks'), element('ul', { className: 'rows' }, ...rows));
}

function quote(title: string, text: string | null): HTMLElement | null {
  return text === null ? null : element('div', {}, element('h3', {}, title), element('pre', {}, text));
}

function turns(transcript: TestRunDetail['transcript']): HTMLElement {
  return element(
    'div',
    {},
    ...transcript.flatMap(({ role, text }) => [element('h3', {}, role), element('pre', {}, text)]),
  );
}

function calls(toolCalls: TestRunDetail['toolCalls']): HTMLElement {
  const told = toolCalls.map(({ name, args, result, error }) => {
    const answer = error ?? JSON.stringify(result, null, 2);
    return element('pre', {}, `${name}(${JSON.stringify(args)})\n→ ${answer}`);
  });
  return element('div', {}, ...told);
}

function footnote({ attempt, executionTimeMs, model }: TestRunDetail): string {
  const time = executionTimeMs === null ? [] : [`${(executionTimeMs / 1000).toFixed(1)} s`];
  return [`Attempt ${attempt}`, ...time, ...(model === null ? [] : [model])].join(' · ');
}
