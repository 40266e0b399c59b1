import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** The sort key of the row a page starts after: as texts, exactly as Postgres wrote them. */
const Key = z.array(z.string()).min(1).max(4);
const macBytes = 16;

type CursorScope = {
  key: Buffer;
  tenantId: string;
  /** What is listed, so that a cursor of one list opens no other. */
  list: string;
};

/** An opaque position in a list. It holds only for this tenant and this list. */
export function writeCursor(scope: CursorScope, position: readonly string[]): string {
  const body = Buffer.from(JSON.stringify(position));
  return Buffer.concat([sign(scope, body), body]).toString('base64url');
}

/** The position inside a cursor that we wrote for this list and tenant; null for anything else. */
export function readCursor(scope: CursorScope, cursor: string): string[] | null {
  const bytes = Buffer.from(cursor, 'base64url');
  const body = bytes.subarray(macBytes);
  if (body.length === 0 || !timingSafeEqual(sign(scope, body), bytes.subarray(0, macBytes))) return null;
  return Key.parse(JSON.parse(body.toString('utf8')));
}

function sign({ key, tenantId, list }: CursorScope, body: Buffer): Buffer {
  return createHmac('sha256', key).update(`${tenantId}\n${list}\n`).update(body).digest().subarray(0, macBytes);
}
