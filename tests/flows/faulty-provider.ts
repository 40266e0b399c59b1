import { createServer, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../stack/listen.ts';
import { type Fault, good } from './provider-answers.ts';
import { streamFaults } from './stream-faults.ts';
import { wholeFaults } from './whole-faults.ts';

export const faults: Readonly<Record<string, Fault>> = { ...wholeFaults, ...streamFaults };

export type FaultyProvider = AsyncDisposable & {
  origin: string;
  /** How often each path was asked. */
  calls: Map<string, number>;
};

/** A provider with one base URL per fault, `/<fault>/v1`; every other path answers as it should. */
export async function startFaultyProvider(): Promise<FaultyProvider> {
  const calls = new Map<string, number>();
  const provider = await startProvider((response, { path, body }) => {
    const name = path.split('/')[1] ?? '';
    const earlier = calls.get(name) ?? 0;
    calls.set(name, earlier + 1);
    (faults[name]?.answer ?? good)(response, { earlier, body });
  });
  return { ...provider, calls };
}

type Serve = (response: ServerResponse, call: { path: string; earlier: number; body: string }) => void;

/** A provider that answers as it is told; `earlier` counts all its calls. */
export async function startProvider(serve: Serve): Promise<AsyncDisposable & { origin: string }> {
  let earlier = 0;
  const server = createServer((request, response) => {
    text(request).then(
      (body) => serve(response, { path: request.url ?? '', earlier: earlier++, body }),
      () => response.destroy(),
    );
  });
  const { origin, close } = await listen(server);
  return { origin, [Symbol.asyncDispose]: close };
}
