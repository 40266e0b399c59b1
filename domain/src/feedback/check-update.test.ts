import { describe, expect, test } from 'vitest';
import type { CheckOutput } from './check-output.ts';
import { checkWrites, type FoundCheck, poorerWrites } from './check-update.ts';

const wanted: CheckOutput = {
  conclusion: 'failure',
  title: 'Regressed',
  summary: 'Worse.',
  text: 'More',
  annotations: [],
};
const opened: FoundCheck = {
  isCompleted: false,
  conclusion: null,
  title: '0/3 test runs',
  summary: '0/3 test runs',
  text: null,
  annotationsCount: 0,
};
const output = { title: 'Regressed', summary: 'Worse.', text: 'More' };
const annotation = (line: number): CheckOutput['annotations'][number] => {
  return { path: 'a.suite.yaml', line, level: 'failure', title: `Case ${line}`, message: 'missing' };
};

describe('a check run is brought up to date', () => {
  test('by one write that completes it, and by none when it looks as it should', () => {
    expect(checkWrites(opened, wanted)).toEqual([{ status: 'completed', conclusion: 'failure', output }]);
    const shown: FoundCheck = { ...opened, ...output, isCompleted: true, conclusion: 'failure' };
    expect(checkWrites(shown, wanted)).toEqual([]);
  });

  test('while it runs by its texts alone', () => {
    const running: CheckOutput = { ...wanted, conclusion: null, title: '2/3 test runs', text: '' };
    expect(checkWrites(opened, running)).toEqual([{ output: { title: '2/3 test runs', summary: 'Worse.' } }]);
  });

  test('with 50 annotations at a time, of which the last write completes it', () => {
    const annotations = Array.from({ length: 120 }, (_, index) => annotation(index + 1));
    const writes = checkWrites(opened, { ...wanted, annotations });
    expect(writes.map((write) => write.output.annotations?.length)).toEqual([50, 50, 20]);
    expect(writes.map(({ status }) => status)).toEqual([undefined, undefined, 'completed']);
  });

  test('after a fault with the annotations that are not there yet', () => {
    const annotations = Array.from({ length: 60 }, (_, index) => annotation(index + 1));
    const [write, ...others] = checkWrites({ ...opened, annotationsCount: 50 }, { ...wanted, annotations });
    expect(write?.output.annotations?.map(({ start_line }) => start_line)).toEqual([
      51, 52, 53, 54, 55, 56, 57, 58, 59, 60,
    ]);
    expect(others).toEqual([]);
  });

  test('never by opening it again', () => {
    expect(
      checkWrites({ ...opened, isCompleted: true, conclusion: 'neutral' }, { ...wanted, conclusion: null }),
    ).toEqual([]);
  });

  test('by another end when a suspicion was confirmed, and with the buttons that are left', () => {
    const suspected: FoundCheck = { ...opened, isCompleted: true, conclusion: 'neutral' };
    expect(checkWrites(suspected, wanted)).toEqual([{ status: 'completed', conclusion: 'failure', output }]);
    expect(checkWrites(suspected, { ...wanted, buttons: [] })[0]?.actions).toEqual([]);
  });

  test('by less and less where GitHub refuses it, down to its title', () => {
    const [full] = checkWrites(opened, { ...wanted, annotations: [annotation(1)], buttons: [] });
    const end = { status: 'completed', conclusion: 'failure' };
    const titleAlone = { ...end, output: { title: 'Regressed', summary: 'Regressed' } };
    expect(full && poorerWrites(full)).toEqual([
      { ...end, actions: [], output },
      { ...end, actions: [], output: { title: 'Regressed', summary: 'Worse.' } },
      titleAlone,
    ]);
    const [aggregate] = checkWrites(opened, { ...wanted, text: '' });
    expect(aggregate && poorerWrites(aggregate)).toEqual([titleAlone]);
    const [bare] = checkWrites(opened, { ...wanted, text: '', summary: 'Regressed' });
    expect(bare && poorerWrites(bare)).toEqual([]);
    const { title } = wanted;
    const left: FoundCheck = { ...opened, isCompleted: true, conclusion: 'failure', title, summary: title };
    expect(checkWrites(left, wanted)).toEqual([]);
    expect(checkWrites(left, { ...wanted, title: 'Confirmed' })).toHaveLength(1);
  });
});
