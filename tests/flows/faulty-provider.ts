import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
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
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const name = request.url?.split('/')[1] ?? '';
    const earlier = calls.get(name) ?? 0;
    calls.set(name, earlier + 1);
    (faults[name]?.answer ?? good)(response, { earlier, body });
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const { origin, close } = await listen(server);
  return { origin, calls, [Symbol.asyncDispose]: close };
}
