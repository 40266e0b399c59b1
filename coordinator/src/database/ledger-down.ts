const connectionTrouble: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  // Postgres: connection failure, shutting down, starting up, out of connections, disk full, read-only after a failover.
  '08000',
  '08003',
  '08006',
  '57P01',
  '57P02',
  '57P03',
  '53100',
  '53300',
  '25006',
]);
const withoutCode =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error/i;

/** Whether an error means that Postgres does not work at the moment, so that waiting helps and nothing is wrong with the request. */
export function isLedgerDown(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause ?? ('previous' in at ? at.previous : undefined)) {
    if ('code' in at && typeof at.code === 'string' && connectionTrouble.has(at.code)) return true;
    if (withoutCode.test(at.message)) return true;
  }
  return false;
}
