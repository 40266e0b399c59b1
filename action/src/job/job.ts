import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { redactText } from '@proofmark/domain/redact-text';
import type { Outcome } from '@proofmark/domain/run-report';
import { cutText, visibleText, withoutOldCommands } from '@proofmark/domain/visible-text';
import type { JobEnvironment } from './environment.ts';

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

const maxUnits = 2000;
const maxLines = 200;

/** Where the job's log goes: a line at a time. */
type WriteLine = (line: string) => void;

/** One line that holds names out of the repository: nothing in it ends the line or starts a workflow command. */
export function foreignLine(text: string): string {
  return withoutOldCommands(cutText(visibleText(redactText(text)).replaceAll(/[\n\t]/g, ' '), maxUnits));
}

/**
 * Prints text that people or models wrote. Workflow commands are switched off around it by a word that nobody can
 * guess, and every line starts with a bar.
 */
export function printForeign(text: string, write: WriteLine, token = randomBytes(16).toString('hex')): void {
  const lines = visibleText(redactText(text)).split('\n');
  write(`::stop-commands::${token}`);
  for (const line of lines.slice(0, maxLines)) write(`│ ${cutText(line, maxUnits)}`);
  if (lines.length > maxLines) write(`│ … ${lines.length - maxLines} more lines`);
  write(`::${token}::`);
}

const empty: OutputValues = {
  'run-id': '',
  'run-url': '',
  verdict: '',
  outcome: '',
  conclusion: '',
  'pass-rate': '',
  'baseline-pass-rate': '',
  delta: '',
  'regressed-count': '',
  'errored-count': '',
  'unmeasured-count': '',
  'suites-total': '',
  'suites-affected': '',
  'cost-usd': '',
  'execution-mode': '',
  'report-mode': '',
  'results-path': '',
};

/** Every output, whatever way the job took; what is not known is empty. */
export function writeOutputs(values: Partial<OutputValues>, setOutput: (name: string, value: string) => void): void {
  for (const [name, value] of Object.entries({ ...empty, ...values })) setOutput(name, value);
}

/** Masks a secret in the log of the job, also in the forms that it takes inside headers and addresses. */
export function maskSecret(secret: string, setSecret: (text: string) => void): void {
  const forms = [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)];
  // GitHub masks what is empty or short as well, and then every line of the log is stars.
  for (const form of new Set(forms)) if (form.length >= 8) setSecret(form);
}
