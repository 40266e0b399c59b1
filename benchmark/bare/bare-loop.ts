import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const BareLoop = z.object({
  /** Cases a second. */
  rate: z.number(),
  cpuMs: z.number(),
});
export type BareLoop = z.infer<typeof BareLoop>;

interface Asked {
  /** Of the model. */
  origin: string;
  /** Gets the file with the answers. */
  folder: string;
  cases: number;
  concurrency: number;
}

/** Starts the model that every benchmark of a rate asks. */
export async function startModel(latencyMs = 0): Promise<{ origin: string } & Disposable> {
  const child = spawn(process.execPath, [script('model-main.ts'), String(latencyMs)], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const origin = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
  });
  return { origin, [Symbol.dispose]: () => void child.kill() };
}

/** The yardstick: what any program has to do for so many cases, in a process of its own. */
export async function runBareLoop({ origin, folder, cases, concurrency }: Asked): Promise<BareLoop> {
  return await askScript(BareLoop, script('loop-main.ts'), [origin, folder, String(cases), String(concurrency)]);
}

/** Runs a script to its end and reads the one line it prints. */
export async function askScript<Shape>(shape: z.ZodType<Shape>, path: string, args: readonly string[]): Promise<Shape> {
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${path} ended with ${String(code)}`);
  return shape.parse(JSON.parse(Buffer.concat(chunks).toString()));
}

/** Two loops as one: all their cases in all their time. */
export const between = (before: BareLoop, after: BareLoop): BareLoop => ({
  rate: 2 / (1 / before.rate + 1 / after.rate),
  cpuMs: (before.cpuMs + after.cpuMs) / 2,
});
