import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../stack/processes.ts';

const canonicalJson = join(repositoryRoot, 'contracts/src/identity/canonical-json.ts');

/** Whether 40 MB are enough to make canonical JSON of as many objects as `count`, each with a key that no other has. */
async function isEnough({ count, units }: { count: number; units: number }): Promise<boolean> {
  const script = `const { canonicalJson } = await import(process.argv[1]);
    const [count, units] = process.argv.slice(2).map(Number);
    for (let at = 0; at < count; at += 1)
      // Read from a text of its own, as what strangers send is.
      canonicalJson(JSON.parse(JSON.stringify({ [String(at).padEnd(units, 'x')]: at })));`;
  const args = ['--max-old-space-size=40', '--input-type=module', '--eval', script, canonicalJson];
  return await promisify(execFile)(process.execPath, [...args, String(count), String(units)]).then(
    () => true,
    () => false,
  );
}

test('keys that strangers make up fill no memory, however many and however long they are', async () => {
  const kinds = [
    { count: 300_000, units: 40 },
    { count: 1_500, units: 100_000 },
  ];
  expect(await Promise.all(kinds.map(isEnough))).toEqual([true, true]);
});
