import type { EntityManager } from '@mikro-orm/postgresql';
import type { Problem } from '@proofmark/contracts/problem';
import { problemAt } from './change.ts';
import { checkCase } from './check-suite.ts';
import type { StoredProject } from './stored-project.ts';
import { asWritten, hasCaseNamed, readSuite, suitesIncluding } from './stored-suite.ts';
import type { Written } from './write-files.ts';

interface ChangedCase {
  id: string;
  written: Written;
  before: Written;
}

/** What a change of a case breaks in the suites that include it: its name may be taken there, its variables unknown. */
export async function brokenInclusions(
  em: EntityManager,
  project: StoredProject,
  { id, written, before }: ChangedCase,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const suiteId of await suitesIncluding(em, id)) {
    const suite = await readSuite(em, suiteId, true);
    if (suite === null) continue;
    const others = suite.cases.filter((one) => one.id !== id);
    const name = String(written.name);
    const place = `The suite '${suite.definition.name}', which includes the case`;
    if (hasCaseNamed({ cases: others }, name))
      problems.push(problemAt('name', 'duplicate', `${place}, has one with the name '${name}' already`));
    const checked = checkCase(project, asWritten({ ...suite, cases: others }), { written, before });
    if (checked.ok) continue;
    problems.push(...checked.problems.map((problem) => ({ ...problem, message: `${place}: ${problem.message}` })));
  }
  return problems;
}
