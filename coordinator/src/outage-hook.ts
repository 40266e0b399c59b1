import { reasonOf, type WaitingLines, waitingLines } from '@proofmark/domain/log-line';
import type { LogFn, Logger } from 'pino';
import { isLedgerDown } from './database/ledger-down.ts';

/** Errors of the broker's client that say nothing new while the connection is known to be lost. */
const brokerErrors: ReadonlySet<string> = new Set([
  'ClosedConnectionError',
  'ConnectionError',
  'DrainingConnectionError',
  'JetStreamError',
  'JetStreamNotEnabled',
  'NoRespondersError',
  'RequestError',
  'TimeoutError',
]);

const fatal = 60;

/** What is known of the dependencies, so that an outage is a few lines and not one for everything that fails meanwhile. */
export interface Outages {
  ledgerAnswers: () => void;
  brokerLost: (reason: string) => void;
  brokerBack: () => void;
  /** For pino: passes on what is no symptom of an outage. */
  logMethod: (this: Logger, args: Parameters<LogFn>, method: LogFn, level: number) => void;
  /** Where the lines of outages go. */
  writeTo: (log: Logger) => void;
}

export function outageHook(nowMs: () => number): Outages {
  const ledger = waitingLines('Postgres');
  const broker = waitingLines('NATS');
  let log: Logger | undefined;
  const say = (level: 'info' | 'warn', line: string | null): void => {
    if (line !== null) log?.[level](line);
  };
  const isOver = (lines: WaitingLines): void => say('info', lines.over(nowMs()));
  return {
    ledgerAnswers: () => isOver(ledger),
    brokerLost: (reason) => say('warn', broker.failed(reason, nowMs())),
    brokerBack: () => isOver(broker),
    writeTo: (target) => {
      log = target;
    },
    logMethod(args, method, level) {
      const error = errorOf(args[0]);
      if (level < fatal && isLedgerDown(error)) return say('warn', ledger.failed(reasonOf(error), nowMs()));
      if (level < fatal && broker.isWaiting() && error !== undefined && brokerErrors.has(error.name))
        return say('warn', broker.failed('the connection is lost', nowMs()));
      method.apply(this, args);
    },
  };
}

function errorOf(facts: unknown): Error | undefined {
  if (typeof facts !== 'object' || facts === null || !('error' in facts)) return undefined;
  return facts.error instanceof Error ? facts.error : undefined;
}
