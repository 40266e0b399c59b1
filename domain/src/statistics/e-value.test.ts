import { describe, expect, test } from 'vitest';
import { eValue } from './e-value.ts';

describe('e-value of discordant pairs', () => {
  // The list of specs: 6–0 goes on, 7–0 stops.
  test.for([
    [0, 0, 1],
    [6, 0, 18.142857142857142],
    [7, 0, 31.875],
    [10, 1, 30.931818181818183],
    [8, 1, 11.255555555555556],
    [11, 2, 14.906593406593407],
    [3, 40, 0.026215276498883985],
    [200, 100, 3255003.4180253954],
  ] as const)('%d losses and %d wins', ([losses, wins, expected]) => {
    expect(eValue({ losses, wins }) / expected).toBeCloseTo(1, 11);
  });

  test('its mean under no change is 1 after any number of pairs, which is what makes looking often safe', () => {
    for (const pairs of [1, 5, 12]) {
      let mean = 0;
      for (let coins = 0; coins < 2 ** pairs; coins += 1) {
        const losses = coins.toString(2).replaceAll('0', '').length;
        mean += eValue({ losses, wins: pairs - losses }) / 2 ** pairs;
      }
      expect(mean).toBeCloseTo(1, 10);
    }
  });
});
