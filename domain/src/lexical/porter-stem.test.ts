import { expect, test } from 'vitest';
import { porterStem } from './porter-stem.ts';

test.each([
  ['is', 'is'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['dies', 'die'],
  ['died', 'die'],
  ['cries', 'cri'],
  ['cried', 'cri'],
  ['enjoy', 'enjoy'],
  ['happy', 'happi'],
  ['by', 'by'],
  ['caresses', 'caress'],
  ['agreed', 'agre'],
  ['proceed', 'proceed'],
  ['conflated', 'conflat'],
  ['hopping', 'hop'],
  ['falling', 'fall'],
  ['filing', 'file'],
  ['rationally', 'ration'],
  ['sensibly', 'sensibl'],
  ['hopefully', 'hope'],
  ['geology', 'geolog'],
  ['adoption', 'adopt'],
  ['controlling', 'control'],
  ['constructor', 'constructor'],
])('the stem of %s is %s', (word, stem) => {
  expect(porterStem(word)).toBe(stem);
});
