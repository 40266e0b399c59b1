import { expect, it } from 'vitest';
import type { Check } from './checks.ts';
import { hasCheck } from './test-case.ts';

const length: Check = { type: 'length', min: 1, unit: 'words' };
const judged: Check = { type: 'llm_judge', criteria: 'It is polite.' } as Check; // its defaults say nothing here

it('finds a type of check in a case, in its turns and inside of other checks', () => {
  const holding = (...checks: Check[]) => ({ expected_behavior: { mode: 'all' as const, checks } });
  const inTurn = (...checks: Check[]) => ({
    expected_behavior: null,
    turns: [{ user: 'Hello', expected_tool_calls: null, ...holding(...checks) }],
  });
  const within: Check = { type: 'group', mode: 'any', checks: [length, { type: 'not', check: judged }] } as Check; // as above
  for (const found of [holding(judged), holding(length, within), inTurn(judged), inTurn(within)])
    expect(hasCheck(found, ['code', 'llm_judge'])).toBe(true);
  for (const other of [holding(length), inTurn(length), { expected_behavior: null }])
    expect(hasCheck(other, ['code', 'llm_judge'])).toBe(false);
});
