import { checkVector } from './check-vector.ts';
import { vectorEnvironment } from './environment.ts';
import { loadVectors } from './load-vectors.ts';
import { adapters } from './registry.ts';
import { vectorTitle } from './vector.ts';

const { folder, isStrict } = vectorEnvironment();
const print = (line: string) => process.stdout.write(`${line}\n`);

const { vectors, unreadable } = await loadVectors(folder);
const waiting = new Map<string, number>();
let passed = 0;
let failed = unreadable.length;

for (const { file, reason } of unreadable) print(`FAIL  ${file}: cannot be read as vectors: ${reason}`);
for (const vector of vectors) {
  const outcome = await checkVector(vector, adapters);
  switch (outcome.status) {
    case 'passed':
      passed += 1;
      print(`ok    ${vectorTitle(vector)}`);
      break;
    case 'failed':
      failed += 1;
      print(`FAIL  ${vectorTitle(vector)}`);
      for (const problem of outcome.problems) print(`        ${problem}`);
      break;
    case 'waiting':
      if (isStrict) failed += 1;
      waiting.set(vector.kind, (waiting.get(vector.kind) ?? 0) + 1);
      print(`${isStrict ? 'FAIL' : 'wait'}  ${vectorTitle(vector)} (no adapter for ${vector.kind})`);
  }
}

for (const [kind, count] of waiting) print(`no adapter yet: ${kind} (${count})`);
if (vectors.length === 0) print(`no vectors in ${folder}`);
print(`${passed} passed, ${failed} failed`);
// Nothing executed is never green.
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
