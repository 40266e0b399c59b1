import { cutLine } from '@proofmark/domain/visible-text';
import { Link, paths } from '../../parts/route.tsx';
import { cellValues } from '../../parts/words.ts';
import type { SuiteRunOfRun } from './whole-run.ts';

const mostSuites = 6;
const mostCases = 12;

/** The cases for which a reader came: each leads to both answers. */
export function BrokenCases({ suiteRuns }: { suiteRuns: readonly SuiteRunOfRun[] }) {
  const worthReading = suiteRuns.filter((suiteRun) => isHeldAgainst(suiteRun) || failsWithoutBase(suiteRun));
  if (worthReading.length === 0) return null;
  return (
    <section aria-labelledby="broke">
      <h2 id="broke">{worthReading.some(isHeldAgainst) ? 'What broke' : 'What fails'}</h2>
      {worthReading.slice(0, mostSuites).map((suiteRun) => (
        <BrokenOfSuite key={suiteRun.id} suiteRun={suiteRun} isOnly={suiteRuns.length === 1} />
      ))}
      {worthReading.length > mostSuites && (
        <p class="quiet">{worthReading.length - mostSuites} more in the table below.</p>
      )}
    </section>
  );
}

const namedCases = ({ verdict }: SuiteRunOfRun): string[] =>
  verdict === null ? [] : [...new Set([...verdict.flagged, ...verdict.newlyFailing])];

/** Where the gate says that nothing got worse, a case that fails now may be chance: it stands in its suite run. */
const isHeldAgainst = (suiteRun: SuiteRunOfRun): boolean =>
  (suiteRun.verdictWord === 'REGRESSED' || suiteRun.verdictWord === 'SUSPECTED') && namedCases(suiteRun).length > 0;

const failsWithoutBase = ({ verdictWord, failingCases }: SuiteRunOfRun): boolean =>
  (verdictWord === 'NO_BASELINE' || verdictWord === 'ERROR') && failingCases.length > 0;

function BrokenOfSuite({ suiteRun, isOnly }: { suiteRun: SuiteRunOfRun; isOnly: boolean }) {
  const reasons = new Map(suiteRun.failingCases.map(({ caseName, reason }) => [caseName, reason]));
  const names = isHeldAgainst(suiteRun) ? namedCases(suiteRun) : [...reasons.keys()];
  // What failed for one reason, as all of it does where a key is wrong, is told once.
  const alike = [...Map.groupBy(names.slice(0, mostCases), (name) => reasons.get(name) ?? name)].map(
    ([key, cases]) => ({ cases, reason: reasons.has(cases[0] ?? '') ? key : null }),
  );
  return (
    <div class="card">
      {!isOnly && (
        <h3>
          <Link to={paths.suiteRun(suiteRun.id)}>
            {[suiteRun.suiteName, cellValues(suiteRun.cellKey)].filter((part) => part !== '').join(' · ')}
          </Link>
        </h3>
      )}
      <ul class="rows">
        {alike.map(({ cases, reason }) => (
          <li key={cases[0]}>
            <span class="mark failed" aria-hidden="true">
              ✗
            </span>
            <div class="what">
              {cases.map((name, at) => (
                <span key={name}>
                  {at > 0 && ', '}
                  <Link to={paths.caseOf(suiteRun.id, name)}>{name}</Link>
                </span>
              ))}
              {reason !== null && <p class="why">{cutLine(reason, 240)}</p>}
            </div>
          </li>
        ))}
      </ul>
      {names.length > mostCases && (
        <p>
          <Link to={paths.suiteRun(suiteRun.id)}>
            {isHeldAgainst(suiteRun) ? `${names.length - mostCases} more cases` : 'More failing cases'}
          </Link>
        </p>
      )}
    </div>
  );
}
