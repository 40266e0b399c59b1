import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { securityHeaders } from './security-headers.ts';

/** A client that reads slower than we write is cut off at this many waiting bytes; it resumes by subscribing again. */
const maxWaitingBytes = 1024 * 1024;

/** Sends a fetch `Response`, streams included, and stops its source when the client goes away. */
export async function sendResponse(from: Response, to: ServerResponse): Promise<void> {
  const isStream = from.headers.get('content-type')?.startsWith('text/event-stream') === true;
  to.writeHead(from.status, { ...Object.fromEntries(from.headers), ...securityHeaders });
  if (from.body === null) {
    to.end();
    return;
  }
  const reader = from.body.getReader();
  to.once('close', () => void reader.cancel().catch(() => undefined)); // ended already
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (to.destroyed) return;
    const hasRoom = to.write(part.value);
    if (isStream && to.writableLength > maxWaitingBytes) return void to.destroy();
    if (!hasRoom && !isStream) await Promise.race([once(to, 'drain'), once(to, 'close')]);
  }
  to.end();
}
