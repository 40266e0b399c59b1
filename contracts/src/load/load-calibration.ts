import type { Calibration } from '../definitions/calibration.ts';
import { noSuchFile } from '../definitions/near-match.ts';
import { resolveReference } from '../definitions/repository-path.ts';
import type { Suite } from '../definitions/suite.ts';
import { contentHash } from '../identity/content-hash.ts';
import { type Located, reportAt } from '../parse/source-document.ts';
import type { LoadContext } from '../review/suite-review.ts';
import { readCalibration } from './read-calibration.ts';

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
