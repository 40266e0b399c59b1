import { type Check, checksWithin } from '../definitions/checks.ts';
import type { Metric } from '../definitions/metrics.ts';
import { noSuchFile } from '../definitions/near-match.ts';
import { type CaseTurn, hasCheck, type TestCase } from '../definitions/test-case.ts';
import { contentHash } from '../identity/content-hash.ts';
import { type Located, reportAt } from '../parse/source-document.ts';
import { readSourceText } from '../parse/source-text.ts';
import type { LoadContext, LoadedCase } from '../review/suite-review.ts';

type Digest = { sha256?: string };

/**
 * Code that judges, with the digest of its file: who changes the file changes the case, and who runs another file is told
 * so instead of judging by other rules. A file that is not there is reported where it is named.
 */
export class CodePins {
  readonly #context: LoadContext;
  /** The files, each once. */
  readonly files = new Set<string>();

  constructor(context: LoadContext) {
    this.#context = context;
  }

  inCase(loaded: LoadedCase): TestCase {
    const { testCase, located } = loaded;
    if (!hasCheck(testCase, ['code'])) return testCase;
    const { turns } = testCase;
    return {
      ...testCase,
      expected_behavior: this.#inBehavior(testCase.expected_behavior, located, []),
      ...(turns === undefined ? {} : { turns: turns.map((turn, index) => this.#inTurn(turn, located, index)) }),
    };
  }

  #inTurn(turn: CaseTurn, located: Located, index: number): CaseTurn {
    return { ...turn, expected_behavior: this.#inBehavior(turn.expected_behavior, located, ['turns', index]) };
  }

  #inBehavior(behavior: TestCase['expected_behavior'], located: Located, base: (string | number)[]) {
    if (behavior === null) return null;
    const checks = behavior.checks.map((check, index) =>
      this.#inCheck(check, located, [...base, 'expected_behavior', 'checks', index]),
    );
    return { ...behavior, checks };
  }

  inMetric(metric: Metric, located: Located, index: number): Metric {
    const { type, file } = metric;
    if (type !== 'code' || file === undefined) return metric;
    return { ...metric, ...this.#digest(file, located, ['evaluations', 'metrics', index, 'file']) };
  }

  #inCheck(check: Check, located: Located, path: (string | number)[]): Check {
    if (checksWithin(check).length > 1 || check.type === 'group') return this.#inside(check, located, path);
    return check.type === 'code' ? { ...check, ...this.#digest(check.file, located, [...path, 'file']) } : check;
  }

  #inside(check: Check, located: Located, path: (string | number)[]): Check {
    if (check.type === 'not') return { ...check, check: this.#inCheck(check.check, located, [...path, 'check']) };
    if (check.type !== 'group') return check;
    return {
      ...check,
      checks: check.checks.map((one, index) => this.#inCheck(one, located, [...path, 'checks', index])),
    };
  }

  #digest(file: string, located: Located, path: (string | number)[]): Digest {
    const { source, problems } = this.#context;
    this.files.add(file);
    const content = source.read(file);
    if (content === undefined) {
      reportAt(problems, located, [{ path, code: 'not_found', message: noSuchFile(file, source.paths?.()) }]);
      return {};
    }
    const text = readSourceText(content);
    if (text.ok) return { sha256: contentHash(text.text) };
    reportAt(problems, located, [{ path, code: text.code, message: `\`${file}\`: ${text.message}` }]);
    return {};
  }
}
