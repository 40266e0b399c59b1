import { type Finding, warning } from '../parse/finding.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { fileFindings } from './file-findings.ts';

type Raw = Record<string, unknown>;

const given = (raw: Raw, key: string): boolean => raw[key] !== undefined && raw[key] !== null;
const anyGiven = (raw: Raw, keys: readonly string[]): string | undefined => keys.find((key) => given(raw, key));

/** Keys that only make sense when there is an input. */
const singleTurnKeys = ['ground_truth', 'files', 'expected_tools', 'evaluations', 'expected_behavior'];
const simulatedKeys = ['persona', 'initial_message'];

/** Which of the two kinds of case this is. A case of nothing but a name is a simulated draft. */
export function caseKind(raw: Raw): 'single' | 'simulated' {
  if (given(raw, 'input') || given(raw, 'question')) return 'single';
  if (anyGiven(raw, simulatedKeys) !== undefined) return 'simulated';
  return anyGiven(raw, singleTurnKeys) === undefined ? 'simulated' : 'single';
}

/** The rules between the keys of one case, checked on whatever could be read, so that one mistake hides no other. */
export function caseFindings(raw: Raw): Finding[] {
  const files = Array.isArray(raw.files) ? raw.files : [];
  return [
    ...(caseKind(raw) === 'single' ? singleTurnFindings(raw) : simulatedFindings(raw)),
    ...toolFindings(raw),
    ...files.flatMap((file, index) => (isMapping(file) ? fileFindings(file, ['files', index]) : [])),
    ...['id', 'created_at', 'updated_at']
      .filter((key) => given(raw, key))
      .map((key) => warning([key], 'forbidden_field', `\`${key}\` is set by the server and ignored here`)),
  ];
}

function singleTurnFindings(raw: Raw): Finding[] {
  const findings: Finding[] = [];
  const inputKey = given(raw, 'input') ? 'input' : 'question';
  if (!given(raw, 'input') && !given(raw, 'question')) {
    const because = anyGiven(raw, singleTurnKeys) ?? 'input';
    findings.push({
      path: ['input'],
      code: 'required',
      message: `\`input\` is missing: \`${because}\` belongs to a single-turn case`,
      at: 'key',
    });
  }
  const simulated = anyGiven(raw, simulatedKeys);
  if (simulated !== undefined) {
    findings.push({
      path: [inputKey],
      code: 'exclusive',
      message: `\`${inputKey}\` and \`${simulated}\` exclude each other: a case is single-turn or simulated`,
      at: 'key',
    });
  }
  if (given(raw, 'input') && given(raw, 'question')) {
    findings.push({
      path: ['question'],
      code: 'exclusive',
      message: '`question` is another word for `input`: write one of them',
      at: 'key',
    });
  }
  for (const key of ['user_context', 'max_turns']) {
    if (given(raw, key) && simulated === undefined)
      findings.push(warning([key], 'invalid_value', `\`${key}\` has no effect on a single-turn case`));
  }
  return findings;
}

function simulatedFindings(raw: Raw): Finding[] {
  const findings: Finding[] = [];
  if (raw.name === undefined) {
    findings.push({
      path: ['name'],
      code: 'required',
      message: '`name` is missing',
      hint: 'Only a single-turn case with an `input` may leave its name out.',
      at: 'key',
    });
  }
  for (const key of ['files', 'expected_behavior']) {
    if (given(raw, key)) {
      findings.push({
        path: [key],
        code: 'exclusive',
        message: `\`${key}\` belongs to a single-turn case with an \`input\``,
        at: 'key',
      });
    }
  }
  if (given(raw, 'name') && anyGiven(raw, simulatedKeys) === undefined) {
    findings.push(
      warning(
        ['name'],
        'required',
        'the case has neither `input` nor `persona` nor `initial_message`: an ordinary user is simulated',
      ),
    );
  }
  return findings;
}

function toolFindings(raw: Raw): Finding[] {
  if (!given(raw, 'expected_tools') || !given(raw, 'expected_tool_calls')) return [];
  return [
    {
      path: ['expected_tools'],
      code: 'exclusive',
      message: '`expected_tools` and `expected_tool_calls` exclude each other',
      at: 'key',
    },
  ];
}
