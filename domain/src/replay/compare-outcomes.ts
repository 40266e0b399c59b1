import { canonicalJson } from '@proofmark/contracts/canonical-json';
import type { CaseOutcome, ToolCall } from '@proofmark/contracts/case-outcome';
import { checkName } from '@proofmark/contracts/case-outcome';
import type { ErrorKind } from '@proofmark/contracts/error-kind';

/** The same thing in the stored test run and in its repeat. */
export interface Pair<Value> {
  before: Value;
  after: Value;
}

/** One thing that was judged: a check, a metric, a criterion or the calls of tools. Null: this side did not judge it. */
export interface JudgedPair extends Pair<string | null> {
  name: string;
}

/** A test run and its repeat side by side. */
export interface ReplayDifference {
  /** Status, answer, verdicts and calls are equal; times and tokens may differ all the same. */
  isSame: boolean;
  status: Pair<CaseOutcome['status']>;
  errorKind: Pair<ErrorKind | null>;
  errorMessage: Pair<string | null>;
  answer: Pair<string | null>;
  judged: JudgedPair[];
  /** The calls in their order, with their arguments. */
  tools: Pair<string[]>;
  model: Pair<string | null>;
  tokens: Pair<number | null>;
  latencyMs: Pair<number | null>;
  costUsd: Pair<number | null>;
}

/** Holds an outcome against another one of the same work. */
export function compareOutcomes(before: CaseOutcome, after: CaseOutcome): ReplayDifference {
  const pair = <Value>(of: (outcome: CaseOutcome) => Value): Pair<Value> => ({ before: of(before), after: of(after) });
  const judged = judgedPairs(judgements(before), judgements(after));
  const status = pair((one) => one.status);
  const errorKind = pair((one) => one.errorKind);
  const answer = pair((one) => one.response);
  const tools = pair((one) => one.toolCalls.map(callText));
  return {
    isSame:
      [status, errorKind, answer, ...judged].every((one) => !isChanged(one)) &&
      tools.before.join('\n') === tools.after.join('\n'),
    ...{ status, errorKind, answer, judged, tools },
    errorMessage: pair((one) => one.errorMessage),
    model: pair((one) => one.model),
    tokens: pair(({ usage }) => (usage === null ? null : usage.promptTokens + usage.completionTokens)),
    latencyMs: pair((one) => one.latencyMs),
    costUsd: pair((one) => one.costUsd),
  };
}

export const isChanged = ({ before, after }: Pair<unknown>): boolean => before !== after;

// Databases keep the keys of arguments in another order than files.
const callText = ({ name, args }: ToolCall): string => `${name}(${canonicalJson(args)})`;

/** What was judged and how, by a name that is unique within the case. */
function judgements({ checks, metrics, outcomes, tools }: CaseOutcome): Map<string, string> {
  const found = new Map<string, string>();
  for (const check of checks) found.set(`check ${check.checkIndex + 1} ${checkName(check)}`, check.status);
  if (tools.matched !== null) found.set('expected tools', tools.matched ? 'pass' : 'fail');
  for (const { id, status } of outcomes?.criteria ?? []) found.set(`outcome ${id}`, status);
  for (const { metric_name, score, passed } of metrics) {
    const verdict = passed ? 'pass' : 'fail';
    found.set(`metric ${metric_name}`, score === null ? `${verdict} (no score)` : `${verdict} (${score.toFixed(2)})`);
  }
  return found;
}

function judgedPairs(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): JudgedPair[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.map((name) => ({ name, before: before.get(name) ?? null, after: after.get(name) ?? null }));
}
