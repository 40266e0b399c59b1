import { expect, test } from 'vitest';
import { placeEnvironment, placeName, placeOf } from './report-place.ts';

const reportAt = (place: { suite: string; cell: string; variant: string }) => ({
  agent_name: 'Agent',
  environment: { node: 'v24', ...placeEnvironment(place) },
});

test('a report says which suite, cell and side its results belong to', () => {
  const place = { suite: 'Hours', cell: 'Temperature=0', variant: 'baseline' };
  expect(placeOf(reportAt(place))).toEqual(place);
  expect(placeName(reportAt(place))).toBe('Hours [Temperature=0] (baseline)');
});

test('without a matrix and a comparison it is the name of the suite alone', () => {
  const report = reportAt({ suite: 'Hours', cell: '', variant: 'head' });
  expect(report.environment).toEqual({ node: 'v24', suite: 'Hours' });
  expect(placeName(report)).toBe('Hours');
});

test('of a report that another tool wrote the agent stands for the suite', () => {
  expect(placeName({ agent_name: 'Support agent', environment: {} })).toBe('Support agent');
});
