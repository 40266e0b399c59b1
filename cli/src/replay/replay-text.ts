import { isChanged, type Pair, type ReplayDifference } from '@proofmark/domain/compare-outcomes';
import { formatPrice } from '@proofmark/domain/format-numbers';
import { paint, plain, type Terminal, table } from '../output/terminal.ts';

/** What is told of a test run and its repeat. */
interface ShownReplay {
  id: string;
  /** `Refunds › Time #2`. */
  name: string;
  versions: Pair<string | null>;
  difference: ReplayDifference;
  /** No agent was asked: the stored answer was judged again. */
  isJudgedOnly: boolean;
}

const answerCharacters = 400;

/** A test run beside its repeat: what is equal in one line each, what differs with both sides. */
export function replayText({ id, name, versions, difference, isJudgedOnly }: ShownReplay, terminal: Terminal): string {
  const { isSame, status, answer, judged, tools } = difference;
  const word = isSame ? paint(terminal, 'green', 'SAME') : paint(terminal, 'yellow', 'DIFFERENT');
  const rows = [
    ['status', side(outcomeWords(difference, 'before')), arrow(status), side(outcomeWords(difference, 'after'))],
    ...judged.map((one) => [one.name, side(one.before), arrow(one), side(one.after)]),
    ...(isJudgedOnly ? [] : agentRows(difference)),
    ...textRow('model', difference.model),
    ...textRow('version', versions),
  ];
  const parts = [
    `${paint(terminal, 'bold', plain(name))}  ${word}\n`,
    `  ${plain(id)}\n${isJudgedOnly ? '  The stored answer was judged again; its agent was not asked.\n' : ''}\n`,
    table([['', 'STORED', '', 'REPLAY'], ...rows], '  '),
    textPart('answer', answer),
    textPart('tools', { before: callsText(tools.before), after: callsText(tools.after) }),
    textPart('error', difference.errorMessage),
  ];
  return parts.join('');
}

/** What asking the agent took. */
function agentRows({ tokens, latencyMs, costUsd }: ReplayDifference): string[][] {
  return [
    ['tokens', side(tokens.before), arrow(tokens), side(tokens.after)],
    latencyRow(latencyMs),
    ['cost', dollars(costUsd.before), arrow(costUsd), dollars(costUsd.after)],
  ];
}

const arrow = (pair: Pair<unknown>): string => (isChanged(pair) ? '→' : '=');
const side = (value: string | number | null): string => (value === null ? '-' : plain(String(value)));
const dollars = (value: number | null): string => (value === null ? '-' : formatPrice(value));
const callsText = (calls: readonly string[]): string | null => (calls.length === 0 ? null : calls.join(', '));

function outcomeWords({ status, errorKind }: ReplayDifference, at: 'before' | 'after'): string {
  const kind = errorKind[at];
  return kind === null ? status[at] : `${status[at]} (${kind})`;
}

// Two measurements are hardly ever equal to the microsecond: no arrow would say anything.
function latencyRow({ before, after }: Pair<number | null>): string[] {
  const shown = (value: number | null): string => (value === null ? '-' : `${Math.round(value)} ms`);
  return ['latency', shown(before), '', shown(after)];
}

function textRow(name: string, pair: Pair<string | null>): string[][] {
  if (pair.before === null && pair.after === null) return [];
  return [[name, side(pair.before), pair.before === null ? '' : arrow(pair), side(pair.after)]];
}

function textPart(name: string, pair: Pair<string | null>): string {
  if (pair.before === null && pair.after === null) return '';
  if (!isChanged(pair)) return `\n  ${name}, the same: ${cut(pair.after)}\n`;
  return `\n  ${name}, stored: ${cut(pair.before)}\n  ${name}, replay: ${cut(pair.after)}\n`;
}

function cut(text: string | null): string {
  if (text === null) return '(none)';
  const shown = plain(text);
  return shown.length <= answerCharacters ? shown : `${shown.slice(0, answerCharacters - 1)}…`;
}
