// How much of the rate of a bare loop an embedded run reaches, and how flat its memory stays. Ends with 1 below the promise.
// Run: npx pnpm benchmark:embedded
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { askScript, between, runBareLoop, startModel } from '../bare/bare-loop.ts';

const cases = Number(process.argv[2] ?? 10_000);
const suites = Math.max(1, Math.ceil(cases / 1000));
const rounds = 5;
const concurrency = 50;
const promise = { share: 0.3, growth: 1.25 };

const EmbeddedRun = z.object({
  rate: z.number(),
  cpuMs: z.number(),
  passed: z.number(),
  executedMs: z.number(),
  totalMs: z.number(),
  memoryMb: z.record(z.string(), z.number()),
});

const runMain = fileURLToPath(new URL('run-main.ts', import.meta.url));

async function writeRepository(root: string, origin: string): Promise<void> {
  await mkdir(join(root, 'evals'), { recursive: true });
  await writeFile(
    join(root, 'proofmark.yaml'),
    `ai_configurations: { bare: { provider: openai, model: bare-model, base_url: "${origin}/v1" } }\n`,
  );
  for (let suite = 0; suite < suites; suite += 1) {
    const numbers = Array.from({ length: Math.ceil(cases / suites) }, (_, index) => index);
    const lines = numbers.map(
      (number) =>
        `  - { name: Case ${number}, input: "When are you open on day ${number}?", expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }\n`,
    );
    const agent = '{ name: Shop, instructions: You answer questions of customers of a small shop. }';
    await writeFile(
      join(root, `evals/${String(suite).padStart(2, '0')}.suite.yaml`),
      `name: Suite ${suite}\nagent: ${agent}\ncases:\n${lines.join('')}`,
    );
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const folder = await mkdtemp(join(tmpdir(), 'proofmark-benchmark-'));
try {
  using model = await startModel();
  await writeRepository(folder, model.origin);
  const shares: number[] = [];
  const growths: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    // The bare loop before and after, so that whatever else the machine does slows both.
    const askBare = () => runBareLoop({ origin: model.origin, folder, cases, concurrency });
    const before = await askBare();
    const run = await askScript(EmbeddedRun, runMain, [folder, join(folder, `results-${round}`), String(concurrency)]);
    const bare = between(before, await askBare());
    if (run.passed !== suites * Math.ceil(cases / suites)) throw new Error(`Only ${run.passed} cases passed`);
    const { memoryMb } = run;
    shares.push(run.rate / bare.rate);
    growths.push((memoryMb[cases] ?? 0) / (memoryMb[1000] ?? 1));
    process.stdout.write(
      `bare loop ${bare.rate.toFixed(0)}/s (${((bare.cpuMs / cases) * 1000).toFixed(0)} us of CPU per case), ` +
        `embedded ${run.rate.toFixed(0)}/s (${((run.cpuMs / cases) * 1000).toFixed(0)} us): ratio ${(run.rate / bare.rate).toFixed(3)}; ` +
        `executed in ${run.executedMs.toFixed(0)} of ${run.totalMs.toFixed(0)} ms; ` +
        `memory ${memoryMb[1000]} MB at 1000 cases, ${memoryMb[cases]} MB at ${cases}, ${memoryMb.end} MB at the end, ${memoryMb.most} MB at most\n`,
    );
  }
  const [share, growth] = [median(shares), median(growths)];
  process.stdout.write(
    `median ratio ${share.toFixed(3)} (promise ${promise.share}), memory grows by ${growth.toFixed(2)} from 1000 to ${cases} cases (promise ${promise.growth})\n`,
  );
  process.exitCode = share >= promise.share && growth <= promise.growth ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
