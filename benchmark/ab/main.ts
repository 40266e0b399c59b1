// Whether `proofmark ab` tells a difference in latency where there is none: a model is compared with itself, in many processes
// of their own. Ends with 1 where one of them tells more than is allowed. Run: npx pnpm benchmark:ab
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { ABSession } from '@proofmark/contracts/ab-session';
import { sessionFileName } from '@proofmark/domain/session-files';
import { summarizeSession } from '@proofmark/domain/summarize-session';
import { runCli } from '../../tests/stack/run-cli.ts';
import { startModel } from '../bare/bare-loop.ts';

const processes = Number(process.argv[2] ?? 20);
const questions = Number(process.argv[3] ?? 6);
const latencyMs = 500;
const allowedPercent = 1;

async function writeProject(folder: string, origin: string): Promise<void> {
  const model = `{ provider: openai, model: bare-model, base_url: "${origin}/v1" }`;
  await writeFile(join(folder, 'proofmark.yaml'), `ai_configurations:\n  one: ${model}\n  same: ${model}\n`);
  await writeFile(
    join(folder, 'shop.agent.yaml'),
    '{ name: Shop, instructions: Answer questions of customers., ai_configuration: one }\n',
  );
}

const asked = Array.from({ length: questions }, (_, at) => ['--ask', `When are you open on day ${at}?`]).flat();

/** Compares the model with itself in a process of its own, and reads from its files what it tells. */
async function compareOnce(folder: string, id: string): Promise<ABSession> {
  const sides = ['--baseline', 'shop.agent.yaml', '--candidate-var', 'AIConfiguration=same'];
  const { code, stderr } = await runCli(['ab', ...asked, ...sides, '--session', id], {
    folder,
    env: { OPENAI_API_KEY: 'sk-no-key-at-all' },
  });
  if (code !== 0) throw new Error(`proofmark ab ended with ${code}: ${stderr}`);
  return ABSession.parse(JSON.parse(await readFile(join(folder, 'results', sessionFileName(id, 'json')), 'utf8')));
}

const folder = await mkdtemp(join(tmpdir(), 'proofmark-benchmark-'));
try {
  using model = await startModel(latencyMs);
  await writeProject(folder, model.origin);
  let largest = 0;
  for (let turn = 1; turn <= processes; turn += 1) {
    const { baseline, latencyMs: difference } = summarizeSession(await compareOnce(folder, `s${turn}`));
    if (baseline.medianLatencyMs === null || difference === null) throw new Error('Nothing was compared');
    const percent = (difference.mean / baseline.medianLatencyMs) * 100;
    largest = Math.max(largest, Math.abs(percent));
    process.stdout.write(
      `process ${turn}: ${percent.toFixed(3)} % of ${baseline.medianLatencyMs.toFixed(1)} ms ` +
        `(${difference.mean.toFixed(2)} ms, 95 % interval ${difference.lo.toFixed(2)} to ${difference.hi.toFixed(2)}), load ${loadavg()[0]?.toFixed(1)}\n`,
    );
  }
  process.stdout.write(`largest ${largest.toFixed(3)} % in ${processes} processes (allowed ${allowedPercent} %)\n`);
  process.exitCode = largest <= allowedPercent ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
