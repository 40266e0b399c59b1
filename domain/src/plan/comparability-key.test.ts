import { contentHash } from '@proofmark/contracts/content-hash';
import { describe, expect, test } from 'vitest';
import {
  canJudgeAgain,
  changedParts,
  comparabilityKey,
  comparabilityKeys,
  withoutSetting,
  withParts,
} from './comparability-key.ts';

const instrument = (parts: Record<string, string>) =>
  withParts(contentHash(parts), Object.fromEntries(Object.entries(parts).map(([name, of]) => [name, contentHash(of)])));

const usual = { evaluator: '1', judge: 'gpt-4o', simulator: 'none', mock: 'none', limits: '40 turns' };
const key = ({ text = 'case', parts = usual, setting = '{}' } = {}) =>
  comparabilityKey(text, instrument(parts), setting);

describe('what two results differ in', () => {
  test.for([
    ['nothing', key(), []],
    ['the case', key({ text: 'other case' }), ['case']],
    ['the judge', key({ parts: { ...usual, judge: 'gpt-4o-mini' } }), ['judge']],
    ['the simulated user', key({ parts: { ...usual, simulator: 'gpt-4o' } }), ['simulator']],
    ['the mocks', key({ parts: { ...usual, mock: 'get_hours' } }), ['mock']],
    ['the limits', key({ parts: { ...usual, limits: '10 turns' } }), ['limits']],
    ['the evaluator', key({ parts: { ...usual, evaluator: '2' } }), ['evaluator']],
    ['the AI configuration', key({ setting: '{"AIConfiguration":"gpt-4o"}' }), ['ai_configuration']],
    ['another value of the run', key({ setting: '{"Temperature":1}' }), ['setting']],
    [
      'everything at once',
      key({
        text: 'x',
        parts: { ...usual, judge: 'y', mock: 'z' },
        setting: '{"AIConfiguration":"a","Temperature":1}',
      }),
      ['case', 'judge', 'mock', 'ai_configuration', 'setting'],
    ],
  ] as const)('%s', ([, other, expected]) => {
    expect(changedParts(key(), other)).toEqual(expected);
    expect(changedParts(other, key())).toEqual(expected);
  });

  test('is not the setting once that is left out, which is how cells of a matrix are compared with each other', () => {
    const hot = key({ setting: '{"Temperature":1}' });
    expect(changedParts(withoutSetting(key()), withoutSetting(hot))).toEqual([]);
    expect(changedParts(withoutSetting(key({ text: 'x' })), withoutSetting(hot))).toEqual(['case']);
    expect(withoutSetting('a key of its own')).toBe('a key of its own');
  });

  test('is only "the measurement" where the parts are not known', () => {
    expect(changedParts(comparabilityKey('a', 'old hash', '{}'), comparabilityKey('a', 'new hash', '{}'))).toEqual([
      'measurement',
    ]);
    expect(changedParts('some key', 'another key')).toEqual(['measurement']);
    expect(changedParts('["a","b"]', '["a","b","c","d"]')).toEqual(['measurement']);
  });
});

describe('what was said can be judged again', () => {
  const measured = (parts: object) => key({ parts: { ...usual, ...parts } });

  test.for([
    ['under another judge', measured({ judge: 'x' }), true],
    ['with other metrics and embeddings', measured({ metrics: 'x', embedding: 'y' }), true],
    ['by another evaluator', measured({ evaluator: '2' }), true],
    ['where nothing changed', key(), false],
    ['as an answer to another case', key({ text: 'x' }), false],
    ['to another person', measured({ judge: 'x', simulator: 'y' }), false],
    ['with other mocks', measured({ mock: 'x' }), false],
    ['within other limits', measured({ judge: 'x', limits: '10 turns' }), false],
    ['in another setting', key({ setting: '{"Temperature":1}' }), false],
    ['where the parts are not known', comparabilityKey('case', 'old hash', '{}'), false],
  ] as const)('%s: %s', ([, other, expected]) => {
    expect(canJudgeAgain(key(), other, { isSimulated: false })).toBe(expected);
  });

  test('a new evaluator may have other words for the simulated person', () => {
    expect(canJudgeAgain(key(), measured({ evaluator: '2' }), { isSimulated: true })).toBe(false);
    expect(canJudgeAgain(key(), measured({ judge: 'x' }), { isSimulated: true })).toBe(true);
  });
});

test('keys of many cases are those of each case alone', () => {
  const keyOf = comparabilityKeys('{"Temperature":1}');
  for (const [caseHash, measuredBy] of [
    ['a', ''],
    ['b', ''],
    ['c', 'one "quoted"'],
    ['d', 'one "quoted"'],
    ['e', 'two'],
    ['f', ''],
  ] as const)
    expect(keyOf(caseHash, measuredBy)).toBe(comparabilityKey(caseHash, measuredBy, '{"Temperature":1}'));
});
