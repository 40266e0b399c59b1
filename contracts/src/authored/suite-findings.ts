import type { Finding } from '../parse/finding.ts';
import { isMapping } from '../parse/schema-plan.ts';

type Raw = Record<string, unknown>;

/** The rules between the keys of one suite, beyond the types of its keys. */
export function suiteFindings(raw: Raw): Finding[] {
  return [...scheduleFindings(raw), ...gateFindings(raw)];
}

function scheduleFindings(raw: Raw): Finding[] {
  const missing = raw.schedule_day_of_week === undefined || raw.schedule_day_of_week === null;
  if (raw.schedule_type !== 'weekly' || !missing) return [];
  return [
    {
      path: ['schedule_day_of_week'],
      code: 'required',
      message: '`schedule_day_of_week` is missing: a weekly suite needs a day, 0 (Sunday) to 6',
      at: 'key',
    },
  ];
}

function gateFindings(raw: Raw): Finding[] {
  const gate = raw.gate;
  if (!isMapping(gate)) return [];
  const { screen = 0.2, alpha = 0.05, reducer, reducer_k: reducerK } = gate;
  const findings: Finding[] = [];
  if (typeof screen === 'number' && typeof alpha === 'number' && screen < alpha) {
    findings.push({
      path: ['gate', 'screen'],
      code: 'out_of_range',
      message: `must be at least \`alpha\`, which is ${alpha}`,
    });
  }
  if (reducer === 'at_least' && reducerK === undefined) {
    findings.push({
      path: ['gate', 'reducer_k'],
      code: 'required',
      message: '`reducer_k` is missing: `at_least` needs a number',
      at: 'key',
    });
  }
  return findings;
}
