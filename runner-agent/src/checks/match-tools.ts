import type { ToolCall, ToolMatch } from '@proofmark/contracts/case-outcome';
import type { ToolExpectation } from '@proofmark/contracts/test-case';
import { differingKeys, isObject } from './match-value.ts';

/**
 * Whether every expected call was made, each by a call of its own, and no forbidden one. Extra calls and any order are
 * fine. Null expectations: `matched` is null. The assignment is a maximum matching, because a greedy one fails when a
 * loose entry takes the call that only a strict one could not do without.
 */
export function matchTools(expectations: readonly ToolExpectation[] | null, calls: readonly ToolCall[]): ToolMatch {
  if (expectations === null) return { matched: null, problems: [] };
  const required = expectations.filter((entry) => !entry.forbidden);
  const matchedEntries = maximumMatching(
    required.map((entry) => calls.flatMap((call, at) => (isMatch(entry, call) ? [at] : []))),
  );
  const missing = required.filter((_, index) => !matchedEntries.has(index));
  const forbidden = expectations.filter((entry) => entry.forbidden && calls.some((call) => isMatch(entry, call)));
  const problems = [...missing.map((entry) => missingProblem(entry, calls)), ...forbidden.map(forbiddenProblem)];
  return { matched: problems.length === 0, problems };
}

function isMatch(entry: ToolExpectation, call: ToolCall): boolean {
  if (entry.tool !== call.name) return false;
  if (entry.expected_params === null) return true;
  return call.argsError === null && isObject(call.args) && differingKeys(entry.expected_params, call.args).length === 0;
}

/** The entries that get a call in a maximum matching; `edges[i]` lists the calls that entry `i` could take. */
function maximumMatching(edges: readonly (readonly number[])[]): ReadonlySet<number> {
  const entryOfCall = new Map<number, number>();
  const matched = new Set<number>();
  for (const entry of edges.keys()) {
    if (augment(entry, { edges, entryOfCall, visited: new Set() })) matched.add(entry);
  }
  return matched;
}

interface Search {
  edges: readonly (readonly number[])[];
  entryOfCall: Map<number, number>;
  visited: Set<number>;
}

/** Gives `entry` a call, moving earlier entries to other calls where needed; false when no chain of moves ends in a free call. */
function augment(entry: number, search: Search): boolean {
  for (const call of search.edges[entry] ?? []) {
    if (search.visited.has(call)) continue;
    search.visited.add(call);
    const holder = search.entryOfCall.get(call);
    if (holder === undefined || augment(holder, search)) {
      search.entryOfCall.set(call, entry);
      return true;
    }
  }
  return false;
}

function missingProblem(entry: ToolExpectation, calls: readonly ToolCall[]): string {
  const sameTool = calls.filter((call) => call.name === entry.tool);
  if (sameTool.length === 0) return `${entry.tool} was not called`;
  const differences = sameTool
    .map((call) => describeDifference(entry, call))
    .sort((a, b) => a.keys.length - b.keys.length);
  const [closest] = differences;
  if (!closest || closest.keys.length === 0)
    return `${entry.tool} was called ${sameTool.length} time(s), but another expectation needs each of these calls`;
  return `${entry.tool} was called, but ${closest.keys.join(', ')} differed in the closest call: ${closest.shown}`;
}

function describeDifference(entry: ToolExpectation, call: ToolCall): { keys: string[]; shown: string } {
  const expected = entry.expected_params ?? {};
  const shown = JSON.stringify(call.args).slice(0, 300);
  return { keys: isObject(call.args) ? differingKeys(expected, call.args) : Object.keys(expected), shown };
}

function forbiddenProblem(entry: ToolExpectation): string {
  const withParams = entry.expected_params === null ? '' : ' with the forbidden parameters';
  return `${entry.tool} was called${withParams}, which is forbidden`;
}
