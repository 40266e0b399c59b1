import type { OutputValues } from './job.ts';

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
