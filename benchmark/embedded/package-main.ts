// What `proofmark run` of the published package takes for many cases, from the start of the process to its end: its rate beside a
// bare loop, its processor time and its memory; once with scripted agents, and once with a model that answers at once. Ends with 1
// when scripted cases break the promise; what the model adds is told. Run: npx pnpm benchmark:package [CASES]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { between, runBareLoop, startModel } from '../bare/bare-loop.ts';
import { runPackage, unpackPackage } from './run-package.ts';
import { type Answering, writeRepository } from './write-repository.ts';

const cases = Number(process.argv[2] ?? 10_000);
const rounds = 3;
const concurrency = 50;
const promise = { share: 0.35, memoryMb: 250 };

const perCase = ({ cpuMs }: { cpuMs: number }): string => ((cpuMs / cases) * 1000).toFixed(0);
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

const folder = await mkdtemp(join(tmpdir(), 'proofmark-benchmark-'));
try {
  const command = await unpackPackage(folder);
  using model = await startModel();
  const scripted = await measure('scripted');
  await measure('model');
  process.exitCode = scripted.share >= promise.share && scripted.memoryMb <= promise.memoryMb ? 0 : 1;

  async function measure(answering: Answering): Promise<{ share: number; memoryMb: number }> {
    const measured: { share: number; memoryMb: number }[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const askBare = () => runBareLoop({ origin: model.origin, folder, cases, concurrency });
      // A new one each time: in an old one the answers are known, and nobody is asked.
      const repository = join(folder, `${answering}-${round}`);
      await writeRepository(repository, { origin: model.origin, cases, answering });
      const before = await askBare();
      const used = await runPackage(command, ['run', '--concurrency', String(concurrency)], repository);
      const run = { ...used, rate: cases / used.seconds };
      const bare = between(before, await askBare());
      measured.push({ share: run.rate / bare.rate, memoryMb: run.memoryMb });
      process.stdout.write(
        `${answering}: bare loop ${bare.rate.toFixed(0)}/s (${perCase(bare)} us of CPU per case), package ${run.rate.toFixed(0)}/s ` +
          `(${perCase(run)} us): ratio ${(run.rate / bare.rate).toFixed(3)}; ${run.memoryMb} MB at most\n`,
      );
    }
    const share = median(measured.map((one) => one.share));
    const memoryMb = median(measured.map((one) => one.memoryMb));
    process.stdout.write(
      `${answering}: median ratio ${share.toFixed(3)} (promise ${promise.share}), ${memoryMb} MB (promise ${promise.memoryMb})\n`,
    );
    return { share, memoryMb };
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
