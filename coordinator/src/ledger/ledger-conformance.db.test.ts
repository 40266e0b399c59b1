import { expect, it } from 'vitest';
import { environment } from '../../../tests/stack/environment.ts';
import { anInput, begin, newTenant, ownLedger, suiteFile } from '../story.fixture.ts';
import { playBoth } from './play-both.fixture.ts';

const ledger = await ownLedger();
const tenant = await newTenant(ledger);
const files = ['A', 'B'].map((name) => ({ path: `${name}.suite.yaml`, text: suiteFile({ name, cases: 6 }) }));
const template = await begin(ledger, tenant, anInput({ files, suitePaths: files.map(({ path }) => path) }));

const histories = environment.PROOFMARK_TEST_HISTORIES;

it(`does in SQL what the rules say, command by command, in ${histories} histories`, {
  timeout: 60_000 + histories * 6_000,
}, async () => {
  const seen = { commands: 0, recorded: 0, requeued: 0, ended: 0 };
  for (let seed = 0; seed < histories; seed++) {
    const played = await playBoth(ledger, { tenant, template, seed });
    expect({ seed, ...played.difference }).toEqual({ seed });
    for (const name of ['commands', 'recorded', 'requeued', 'ended'] as const) seen[name] += played.seen[name];
  }
  // Otherwise this proved nothing.
  expect(seen.recorded).toBeGreaterThan(3 * histories);
  expect(seen.requeued).toBeGreaterThan(histories / 2);
  expect(seen.ended).toBeGreaterThan(histories / 3);
});
