import type { Conclusion } from '@proofmark/contracts/verdict';
import { describe, expect, test } from 'vitest';
import { gateWord } from './gate-word.ts';
import { cases, mixed, settings, trials } from './sample-trials.fixture.ts';
import { decide } from './sample-verdict.fixture.ts';

describe('the word of the gate', () => {
  const alone = settings({}, { withoutBase: 'cases' });
  const wordOf = (head: Parameters<typeof decide>[0]['head']) => {
    const verdict = decide({ head, base: null, settings: alone });
    return [verdict.title, gateWord(verdict)];
  };

  test('without a base it says what the title counts: cases, as their repetitions are reduced', () => {
    expect(wordOf([...cases(2, 'pass', 3), ...mixed('flaky', 2, 3)])).toEqual([
      'No baseline yet: 3/3 passed',
      'accepted',
    ]);
    expect(wordOf([...cases(2, 'pass', 3), ...mixed('flaky', 1, 3)])).toEqual([
      'No baseline yet: 2/3 passed',
      'refused',
    ]);
  });

  test('a case that the agent never answered is refused, one that was never measured is not judged', () => {
    expect(wordOf([...cases(2, 'pass', 1), ...trials('silent', 'agent-error', 1)]).at(1)).toBe('refused');
    expect(wordOf([...cases(2, 'pass', 1), ...trials('unmeasured', 'judge-error', 1)]).at(1)).toBe('not judged');
  });

  test('where a check waits for it, a run without a base is neutral', () => {
    const verdict = decide({ head: cases(2, 'fail', 3), base: null });
    expect([verdict.conclusion, gateWord(verdict)]).toEqual(['neutral', 'neutral']);
  });

  test.each<[Conclusion, string]>([
    ['success', 'accepted'],
    ['neutral', 'neutral'],
    ['failure', 'refused'],
  ])('a conclusion of %s is %s, and not judged when something is missing', (conclusion, word) => {
    const verdict = { ...decide({ head: cases(2, 'pass', 3), base: null }), conclusion };
    expect(gateWord(verdict)).toBe(word);
    expect(gateWord({ ...verdict, cutTestRuns: 1 })).toBe(conclusion === 'failure' ? 'refused' : 'not judged');
    expect(gateWord({ ...verdict, word: 'error' })).toBe('not judged');
    const metric = { metric: 'fluency', measured: 1, wanted: 6, reason: 'down' };
    const lacking = (isEnough: boolean) => gateWord({ ...verdict, unmeasured: [{ ...metric, isEnough }] });
    expect(lacking(false)).toBe(conclusion === 'failure' ? 'refused' : 'not judged');
    expect(lacking(true)).toBe(word);
  });
});
