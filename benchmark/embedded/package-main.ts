// What `proofmark run` of the published package takes for many cases, from the start of the process to its end: its rate beside a
// bare loop, its processor time and its memory. Ends with 1 below the promise. Run: npx pnpm benchmark:package
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { between, runBareLoop, startModel } from '../bare/bare-loop.ts';
import { runPackage, unpackPackage } from './run-package.ts';
import { writeRepository } from './write-repository.ts';

const cases = Number(process.argv[2] ?? 10_000);
const rounds = 3;
const concurrency = 50;
const promise = { share: 0.35, memoryMb: 250 };

const folder = await mkdtemp(join(tmpdir(), 'proofmark-benchmark-'));
try {
  const command = await unpackPackage(folder);
  using model = await startModel();
  const measured: { share: number; memoryMb: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const askBare = () => runBareLoop({ origin: model.origin, folder, cases, concurrency });
    // A new one each time: in an old one the answers are known, and nobody is asked.
    const repository = join(folder, `repository-${round}`);
    await writeRepository(repository, { origin: model.origin, cases });
    const before = await askBare();
    const used = await runPackage(command, ['run', '--concurrency', String(concurrency)], repository);
    const run = { ...used, rate: cases / used.seconds };
    const bare = between(before, await askBare());
    measured.push({ share: run.rate / bare.rate, memoryMb: run.memoryMb });
    process.stdout.write(
      `bare loop ${bare.rate.toFixed(0)}/s (${((bare.cpuMs / cases) * 1000).toFixed(0)} us of CPU per case), package ${run.rate.toFixed(0)}/s ` +
        `(${((run.cpuMs / cases) * 1000).toFixed(0)} us): ratio ${(run.rate / bare.rate).toFixed(3)}; ${run.memoryMb} MB at most\n`,
    );
  }
  const middle = (of: 'share' | 'memoryMb') => measured.map((one) => one[of]).toSorted((a, b) => a - b)[1] ?? 0;
  process.stdout.write(
    `median ratio ${middle('share').toFixed(3)} (promise ${promise.share}), ${middle('memoryMb')} MB (promise ${promise.memoryMb})\n`,
  );
  process.exitCode = middle('share') >= promise.share && middle('memoryMb') <= promise.memoryMb ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
