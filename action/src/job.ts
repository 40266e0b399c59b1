import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome } from '@proofmark/domain/run-report';
import type { JobEnvironment } from './environment.ts';
import type { WriteLine } from './job-log.ts';

/** A remark that GitHub shows on the run of the workflow, and on a line of a file when it has one. */
export interface Remark {
  level: 'error' | 'warning' | 'notice';
  message: string;
  title?: string;
  file?: string;
  line?: number;
}

export interface OutputValues {
  'run-id': string;
  'run-url': string;
  verdict: string;
  outcome: Outcome | 'pending' | 'awaiting-approval' | '';
  conclusion: string;
  'pass-rate': string;
  'baseline-pass-rate': string;
  delta: string;
  'regressed-count': string;
  'errored-count': string;
  'unmeasured-count': string;
  'suites-total': string;
  'suites-affected': string;
  'cost-usd': string;
  'execution-mode': 'coordinator' | 'embedded' | '';
  'report-mode': 'app' | 'token' | 'summary' | '';
  'results-path': string;
}

/** What the steps of the Action need of the runner that executes them. */
export interface Job {
  environment: JobEnvironment;
  write: WriteLine;
  remark: (remark: Remark) => void;
  mask: (secret: string) => void;
  getIdToken: (audience: string) => Promise<string>;
  saveState: (name: string, value: string) => void;
  /** Collected here and written once, on every way out. */
  outputs: Partial<OutputValues>;
  now: () => number;
  random: () => number;
  /** Ends early when the job is cancelled. */
  pause: (ms: number) => Promise<void>;
  /** Aborted when the job is cancelled. */
  signal: AbortSignal;
}

/** A pause that ends at once, and quietly, when the job is cancelled. */
export function interruptiblePause(signal: AbortSignal): (ms: number) => Promise<void> {
  return async (ms) => {
    if (signal.aborted) return;
    await pause(ms, undefined, { signal }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  };
}
