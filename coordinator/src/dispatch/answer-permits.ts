import type { PermitsReply, PermitsRequest } from '@proofmark/contracts/control-messages';
import { isLedgerDown } from '../database/ledger-down.ts';
import { type BucketOf, slowDownShared, takeSharedPermits } from '../permits/rate-buckets.ts';
import { isOwn, type RpcPorts } from './rpc-answers.ts';

/** Worth asking again after so long, by a runner whose session is gone. */
const strangerMs = 1_000;

const none = (spacingMs: number, againMs: number): PermitsReply => ({
  ...{ ledger: 'up', granted: 0, firstMs: 0, spacingMs, againMs },
});

/** Turns to call a model that is limited, out of what all runners share; or its pause, when its provider has complained. */
export async function answerPermits(runnerId: string, request: PermitsRequest, ports: RpcPorts): Promise<PermitsReply> {
  const { tenantId, key, perSecond, burst, ask } = request;
  const spacingMs = 1_000 / perSecond;
  const of: BucketOf = { tenantId, key, limit: { perSecond, burst } };
  try {
    if (!(await isOwn(runnerId, request.sessionId, ports))) return none(spacingMs, strangerMs);
    if (ask.kind === 'slow-down') {
      await slowDownShared(ports.database, { ...of, pauseMs: ask.pauseMs });
      ports.countPermits({ complaints: 1 });
      return none(spacingMs, 0);
    }
    const grant = await takeSharedPermits(ports.database, { ...of, want: ask.want });
    ports.countPermits(grant.granted === 0 ? { empty: 1 } : { granted: grant.granted });
    return { ledger: 'up', ...grant };
  } catch (error) {
    if (isLedgerDown(error)) return { ledger: 'down' };
    throw error;
  }
}
