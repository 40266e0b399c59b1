import {
  type Calibration,
  LabelledAnswer,
  type LabelledLine,
  leastLabels,
  leastOfEach,
} from '../definitions/calibration.ts';
import { type CassetteEntry, parseCassette } from '../definitions/cassette.ts';
import { noSuchFile } from '../definitions/near-match.ts';
import type { ProblemCode } from '../definitions/problem.ts';
import { resolveReference } from '../definitions/repository-path.ts';
import type { Suite } from '../definitions/suite.ts';
import { contentHash } from '../identity/content-hash.ts';
import { parseJson } from '../identity/parse-json.ts';
import { dottedPath, type Path } from '../parse/finding.ts';
import { readShape } from '../parse/read-shape.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { type Located, reportAt } from '../parse/source-document.ts';
import { readSourceText } from '../parse/source-text.ts';
import type { LoadContext } from '../review/suite-review.ts';

interface LoadedCalibration {
  dependsOn: string[];
  found: { calibration?: Calibration };
}

/** The calibration file that a suite names and, where it can be read, its labelled answers. */
export function loadCalibration(context: LoadContext, located: Located, judge: Suite['judge']): LoadedCalibration {
  const named = judge?.calibration_file;
  const { source, problems } = context;
  const refuse = (code: 'invalid_format' | 'not_found', message: string): LoadedCalibration => {
    reportAt(problems, located, [{ path: ['judge', 'calibration_file'], code, message }]);
    return { dependsOn: [], found: {} };
  };
  if (named === undefined) return { dependsOn: [], found: {} };
  const resolved = resolveReference(located.document.path, named);
  if (!resolved.ok) return refuse('invalid_format', `the path ${resolved.message}`);
  const { path } = resolved;
  if (source.exists?.(path) === false) return refuse('not_found', noSuchFile(path, source.paths?.()));
  const content = source.read(path);
  // Who cannot look for files may have none but definitions.
  if (content === undefined) return { dependsOn: [path], found: {} };
  const reading = readCalibration(content);
  if (!reading.ok) {
    for (const problem of reading.problems) problems.add({ file: path, column: 1, ...problem });
    return { dependsOn: [path], found: {} };
  }
  const { answers } = reading;
  const digest = contentHash(answers.map(({ answer }) => answer));
  return { dependsOn: [path], found: { calibration: { path, answers, digest } } };
}

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
  if (!isMapping(parsed)) {
    const message = 'the line must be an object with `response` or `transcript`, `criterion` and `label`';
    return { ok: false, problems: [{ line, code: 'invalid_type', path: '', message }] };
  }
  const { value, findings } = readShape(LabelledAnswer, parsed);
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

interface LoadedCassette {
  /** The file, when there is one. */
  dependsOn: readonly string[];
  /** What a loaded suite has of it. */
  part: { cassette?: readonly CassetteEntry[] };
}

const none: LoadedCassette = { dependsOn: [], part: {} };

/** The recorded answers that a suite names; none when it names none, and when they cannot be used, which is reported. */
export function loadCassette(
  { source, problems }: LoadContext,
  located: Located,
  { mock_settings: { cassette } }: Pick<Suite, 'mock_settings'>,
): LoadedCassette {
  if (cassette === undefined) return none;
  const refuse = (code: 'invalid_format' | 'not_found' | 'limit', message: string): LoadedCassette => {
    reportAt(problems, located, [{ path: ['mock_settings', 'cassette'], code, message }]);
    return none;
  };
  const resolved = resolveReference(located.document.path, cassette);
  if (!resolved.ok) return refuse('invalid_format', `the path ${resolved.message}`);
  const content = source.read(resolved.path);
  if (content === undefined) return refuse('not_found', noSuchFile(resolved.path, source.paths?.()));
  const text = typeof content === 'string' ? content : decoded(content);
  if (text === undefined) return refuse('invalid_format', `\`${resolved.path}\` is not UTF-8`);
  const parsed = parseCassette(text);
  if (parsed.ok) return { dependsOn: [resolved.path], part: { cassette: parsed.entries } };
  const { line, message } = parsed;
  if (line === 0) return refuse('limit', `\`${resolved.path}\` ${message}`);
  return refuse('invalid_format', `line ${line} of \`${resolved.path}\` ${message}`);
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
