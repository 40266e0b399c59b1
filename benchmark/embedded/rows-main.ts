// What the published package takes for 100,000 rows of CSV: to validate them, and to run them. Ends with 1 above the promise.
// Run: npx pnpm benchmark:rows [ROWS], or with `--validate PROGRAM` only the first of the two, by a program that is installed.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runPackage, unpackPackage } from './run-package.ts';

const { positionals, values } = parseArgs({ allowPositionals: true, options: { validate: { type: 'string' } } });
const rows = Number(positionals[0] ?? 100_000);
const promise = { validate: { seconds: 10, memoryMb: 500 }, run: { seconds: 60, memoryMb: 600 } };

const suite = `name: Rows
agent: { name: Desk, driver: { type: scripted, replies: [{ reply: You have 14 days. }] } }
cases_from:
  file: rows.csv
  map: { words: { column: max_words, as: number } }
  case:
    input: "{{question}}"
    tags: ["{{kind}}"]
    expected_behavior:
      checks:
        - { type: contains_phrases, phrases: ["{{answer}}"] }
        - { type: length, unit: words, max: "{{words}}" }
`;
const row = (number: number): string =>
  `case-${number},"My parcel ${number} is late, what now? I ordered it some weeks ago.",14 days,40,${number % 2 ? 'refund' : 'other'}\n`;

const folder = await mkdtemp(join(tmpdir(), 'proofmark-benchmark-'));
try {
  const command = values.validate ?? (await unpackPackage(folder));
  await writeFile(join(folder, 'rows.suite.yaml'), suite);
  const lines = Array.from({ length: rows }, (_, number) => row(number)).join('');
  await writeFile(join(folder, 'rows.csv'), `id,question,answer,max_words,kind\n${lines}`);
  const validated = await measure('validate', ['validate', 'rows.suite.yaml']);
  const ran = values.validate === undefined ? await measure('run', ['run', 'rows.suite.yaml', '--no-cache']) : true;
  process.exitCode = validated && ran ? 0 : 1;

  /** Whether it keeps its promise; the seconds are those of the processor, because other work makes no program slower. */
  async function measure(what: keyof typeof promise, words: readonly string[]): Promise<boolean> {
    const { seconds, cpuMs, memoryMb } = await runPackage(command, words, folder);
    const most = promise[what];
    process.stdout.write(
      `${rows} rows, ${what}: ${(cpuMs / 1000).toFixed(1)} s of CPU (at most ${most.seconds}), ${memoryMb} MB (at most ${most.memoryMb}), ${seconds.toFixed(1)} s by the clock\n`,
    );
    return cpuMs < most.seconds * 1000 && memoryMb < most.memoryMb;
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
