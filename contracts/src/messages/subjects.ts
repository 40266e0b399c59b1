/** Names of streams, consumers and subjects. Tokens are ids or pool names, so no token ever holds a dot. */
export const RESULTS_STREAM = 'PM_RESULTS';
export const RESULTS_CONSUMER = 'coordinator';
/** All runners of a pool pull from this one consumer of its work stream. */
export const WORK_CONSUMER = 'runners';
export const RESULTS_SUBJECTS = 'pm.res.*.*';
export const RPC_SUBJECTS = 'pm.rpc.*.*';
export const RPC_QUEUE = 'coordinator';

export type RpcCall = 'hello' | 'claim' | 'heartbeat' | 'permits' | 'release' | 'simulated';

/** How long a runner waits for the answer to a call before it asks again, at least; a coordinator begins no answer later. */
export const RPC_PATIENCE_MS: Readonly<Record<RpcCall, number>> = {
  hello: 2_000,
  claim: 5_000,
  heartbeat: 1_000,
  // Whoever waits for a turn to call a model waits for the answer, too.
  permits: 1_000,
  release: 5_000,
  simulated: 5_000,
};

export const workStream = (pool: string): string => `PM_WORK_${pool}`;
export const workSubjects = (pool: string): string => `pm.work.${pool}.>`;
export const workSubject = (pool: string, tenantId: string, runId: string, chunkId: string): string =>
  `pm.work.${pool}.${tenantId}.${runId}.${chunkId}`;
export const resultSubject = (runnerId: string, runId: string): string => `pm.res.${runnerId}.${runId}`;
export const resultSubjects = (runnerId: string): string => `pm.res.${runnerId}.*`;
export const rpcSubjects = (runnerId: string): string => `pm.rpc.${runnerId}.*`;
export const rpcSubject = (runnerId: string, call: RpcCall): string => `pm.rpc.${runnerId}.${call}`;
export const poolSubject = (pool: string): string => `pm.ctl.pool.${pool}`;
export const runnerSubject = (runnerId: string): string => `pm.ctl.${runnerId}`;
/** What changed in any run of a tenant. */
export const tenantEventSubject = (tenantId: string): string => `pm.evt.${tenantId}.*`;

export const runEventSubject = (tenantId: string, runId: string): string => `pm.evt.${tenantId}.${runId}`;
