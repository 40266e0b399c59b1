import { join } from 'node:path';
import { expect, test } from 'vitest';
import evidence from './evidence.json' with { type: 'json' };
import open from './open.json' with { type: 'json' };
import { type Claim, claimedRules, isThere } from './proofs.ts';
import rules from './rules.json' with { type: 'json' };

const root = join(import.meta.dirname, '../..');
const claims = claimedRules(root);
const known = new Set(rules.map(({ id }) => id));
const asserts = ({ body }: Claim) => /\bexpect\b|\bexpect\w+\(|\bwaitUntil\b|\bassert\w*\(/.test(body);

test('every rule is proven by a test that asserts something or by other evidence, or says why it is open', () => {
  const proven = new Set([...claims.filter(asserts).map(({ id }) => id), ...Object.keys(evidence)]);
  const unproven = [...known].filter((id) => !proven.has(id));
  expect(unproven.toSorted()).toEqual(Object.keys(open).toSorted());
});

test('no test names a rule that does not exist, and none that is open', () => {
  const wrong = claims.filter(({ id }) => !known.has(id) || id in open);
  expect(wrong.map(({ id, path }) => `${id} in ${path}`)).toEqual([]);
});

test('evidence that is no test is there, and is evidence for a rule', () => {
  const all = Object.entries(evidence).flatMap(([id, proofs]) => proofs.map((proof) => ({ id, proof })));
  expect(all.filter(({ id, proof }) => !known.has(id) || !isThere(root, proof))).toEqual([]);
});
