// What the published package takes for 100,000 rows of CSV: to validate them, and to run them. Ends with 1 above the promise.
// Run: npx pnpm benchmark:rows
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runPackage, unpackPackage } from './run-package.ts';

const rows = Number(process.argv[2] ?? 100_000);
const promise = { validate: { seconds: 10, memoryMb: 500 }, run: { memoryMb: 600 } };

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
  const command = await unpackPackage(folder);
  await writeFile(join(folder, 'rows.suite.yaml'), suite);
  const lines = Array.from({ length: rows }, (_, number) => row(number)).join('');
  await writeFile(join(folder, 'rows.csv'), `id,question,answer,max_words,kind\n${lines}`);
  const validated = await runPackage(command, ['validate', 'rows.suite.yaml'], folder);
  const ran = await runPackage(command, ['run', 'rows.suite.yaml', '--no-cache'], folder);
  const told = ({ seconds, cpuMs, memoryMb }: typeof ran) =>
    `${seconds.toFixed(1)} s, ${(cpuMs / 1000).toFixed(1)} s of CPU, ${memoryMb} MB`;
  process.stdout.write(
    `${rows} rows: validate ${told(validated)} (promise ${promise.validate.seconds} s, ${promise.validate.memoryMb} MB); ` +
      `run ${told(ran)} (promise ${promise.run.memoryMb} MB)\n`,
  );
  const isKept =
    validated.seconds < promise.validate.seconds &&
    validated.memoryMb < promise.validate.memoryMb &&
    ran.memoryMb < promise.run.memoryMb;
  process.exitCode = isKept ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
