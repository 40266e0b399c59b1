import { LabelledAnswer, type LabelledLine, leastLabels, leastOfEach } from '../definitions/calibration.ts';
import type { ProblemCode } from '../definitions/problem.ts';
import { dottedPath, type Path } from '../parse/path-text.ts';
import { readShape } from '../parse/read-shape.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { readSourceText } from '../parse/source-text.ts';

export interface LineProblem {
  line: number;
  code: ProblemCode;
  path: string;
  message: string;
  hint?: string;
}

export type CalibrationReading = { ok: true; answers: LabelledLine[] } | { ok: false; problems: LineProblem[] };

/** The labelled answers of a JSONL file, or everything that is wrong with it. Empty lines mean nothing. */
export function readCalibration(content: string | Uint8Array): CalibrationReading {
  const read = readSourceText(content);
  if (!read.ok) {
    const hint = read.code === 'limit' ? 'Keep fewer or shorter answers in it.' : read.hint;
    const { code, message } = read;
    return { ok: false, problems: [{ line: 1, code, path: '', message, ...(hint === undefined ? {} : { hint }) }] };
  }
  const written = read.text.split(/\r?\n/).map((text, index) => ({ line: index + 1, text }));
  const lines = written.filter(({ text }) => text.trim() !== '');
  const answers: LabelledLine[] = [];
  const problems: LineProblem[] = [];
  for (const { line, text } of lines) {
    const reading = readLine(line, text);
    if (reading.ok) answers.push(reading.answer);
    else problems.push(...reading.problems);
  }
  problems.push(...repeatedAnswers(answers), ...missingLabels(lines.length, answers));
  return problems.length === 0 ? { ok: true, answers } : { ok: false, problems };
}

type LineReading = { ok: true; answer: LabelledLine } | { ok: false; problems: LineProblem[] };

function readLine(line: number, text: string): LineReading {
  const parsed = parseJson(text);
  if (parsed === undefined) {
    return { ok: false, problems: [{ line, code: 'parse_error', path: '', message: 'the line is not JSON' }] };
  }
  if (!isMapping(parsed.value)) {
    const message = 'the line must be an object with `response` or `transcript`, `criterion` and `label`';
    return { ok: false, problems: [{ line, code: 'invalid_type', path: '', message }] };
  }
  const { value, findings } = readShape(LabelledAnswer, parsed.value);
  if (value !== undefined && findings.length === 0) return { ok: true, answer: { line, answer: value } };
  return {
    ok: false,
    problems: findings.map(({ path, code, message, hint }) => ({
      ...{ line, code, path: dottedPath(path), message: named(path, message) },
      ...(hint === undefined ? {} : { hint }),
    })),
  };
}

/** Many lines have the same keys: the message says which one is meant. */
function named(path: Path, message: string): string {
  const key = dottedPath(path);
  return key === '' || message.includes('`') ? message : `\`${key}\` ${message}`;
}

/** An answer that counts twice would weigh twice; with two labels it would be right and wrong at once. */
function repeatedAnswers(answers: readonly LabelledLine[]): LineProblem[] {
  const first = new Map<string, number>();
  return answers.flatMap(({ line, answer: { response, transcript, criterion } }): LineProblem[] => {
    const key = JSON.stringify([response, transcript, criterion]);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, line);
    const message = `the same answer and criterion as on line ${earlier}`;
    return earlier === undefined ? [] : [{ line, code: 'duplicate', path: '', message }];
  });
}

/** Told of the whole file at its first line. While lines are wrong, only a number that is too small with them is certain. */
function missingLabels(lines: number, answers: readonly LabelledLine[]): LineProblem[] {
  const passed = answers.filter(({ answer }) => answer.label === 'passed').length;
  const failed = answers.length - passed;
  const isTooFew = lines < leastLabels;
  if (!isTooFew && (answers.length < lines || Math.min(passed, failed) >= leastOfEach)) return [];
  const found = answers.length < lines ? `${lines} lines` : `${lines} labels, ${passed} passed and ${failed} failed`;
  const message = `too few labels: the file has ${found}; ${leastLabels} are needed, ${leastOfEach} of each`;
  return [{ line: 1, code: 'too_short', path: '', message }];
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
