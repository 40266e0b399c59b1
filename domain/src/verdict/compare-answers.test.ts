import { expect, test } from 'vitest';
import { type AnsweredTrial, compareAnswers } from './compare-answers.ts';

const trial = (repetition: number, given: Partial<AnsweredTrial> = {}): AnsweredTrial => ({
  repetition,
  passed: true,
  answer: 'At 17.',
  tools: ['get_hours'],
  ...given,
});

test('the repetition that the head lost is shown, with both sides of it', () => {
  const base = [trial(1), trial(2, { answer: 'We close at 17.' }), trial(3)];
  const head = [trial(1, { answer: 'Good day. At 17.' }), trial(2, { passed: false, answer: 'No idea.' }), trial(3)];
  expect(compareAnswers(base, head)).toEqual({
    base: base[1],
    head: head[1],
    answerChanged: true,
    toolsChanged: false,
  });
});

test('a lost repetition tells more than a won one, other calls more than other words', () => {
  const wonThenLost = compareAnswers([trial(1, { passed: false }), trial(2)], [trial(1), trial(2, { passed: false })]);
  expect(wonThenLost.head?.repetition).toBe(2);
  const called = compareAnswers([trial(1), trial(2)], [trial(1, { answer: 'Five.' }), trial(2, { tools: [] })]);
  expect(called).toMatchObject({ head: { repetition: 2 }, toolsChanged: true, answerChanged: false });
});

test('the order of calls is a difference, and no difference is none', () => {
  const [ab, ba] = [trial(1, { tools: ['a', 'b'] }), trial(1, { tools: ['b', 'a'] })];
  expect(compareAnswers([ab], [ba]).toolsChanged).toBe(true);
  expect(compareAnswers([ab], [ab])).toMatchObject({ toolsChanged: false, answerChanged: false });
});

test('sides without a common repetition show a passing base and a failing head', () => {
  const base = [trial(1, { passed: false }), trial(2)];
  const head = [trial(7), trial(8, { passed: false })];
  expect(compareAnswers(base, head)).toMatchObject({ base: { repetition: 2 }, head: { repetition: 8 } });
  expect(compareAnswers([], head)).toMatchObject({ base: null, answerChanged: false, toolsChanged: false });
});
