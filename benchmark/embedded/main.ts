// How much of the rate of a bare loop an embedded run reaches, and how flat its memory stays. Ends with 1 below the promise.
// Run: npx pnpm benchmark:embedded
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { askScript, between, runBareLoop, startModel } from '../bare/bare-loop.ts';
import { writeRepository } from './write-repository.ts';

const cases = Number(process.argv[2] ?? 10_000);
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

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const folder = await mkdtemp(join(tmpdir(), 'proofmark-benchmark-'));
try {
  using model = await startModel();
  const written = await writeRepository(folder, { origin: model.origin, cases });
  const shares: number[] = [];
  const growths: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    // The bare loop before and after, so that whatever else the machine does slows both.
    const askBare = () => runBareLoop({ origin: model.origin, folder, cases, concurrency });
    const before = await askBare();
    const run = await askScript(EmbeddedRun, runMain, [folder, join(folder, `results-${round}`), String(concurrency)]);
    const bare = between(before, await askBare());
    if (run.passed !== written) throw new Error(`Only ${run.passed} cases passed`);
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
