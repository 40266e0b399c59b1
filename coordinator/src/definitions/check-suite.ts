import { AgentDefinition } from '@proofmark/contracts/agent-file';
import { isError, type Problem } from '@proofmark/contracts/problem';
import { Suite } from '@proofmark/contracts/suite';
import { TestCase } from '@proofmark/contracts/test-case';
import { validateSuite, validateTestCase } from '@proofmark/contracts/validate';
import { problemAt, withoutPlace } from './change.ts';
import { parseFiles } from './parse-files.ts';
import type { Checked } from './shared-kinds.ts';
import type { StoredProject } from './stored-project.ts';
import { casePath, type SuiteSettings, type Written, type WrittenSuite, writeFiles } from './write-files.ts';

/** A file without any case is refused, a suite that gets its cases later is not: a draft holds their place. */
const standIn = { id: 'stand-in', written: { name: 'Stand-in', input: 'Nothing', status: 'draft' } };
const path = 'checked.suite.json';

/** The agent, judged as a part of a suite of any test type: the first that has the variables of its instructions. */
export function checkAgent(project: StoredProject, written: Written): Checked<AgentDefinition> {
  const types = [undefined, ...project.testTypes.map(({ name }) => name)];
  let refused: Problem[] = [];
  for (const type of types) {
    const settings = { name: 'Checked', ...(type === undefined ? {} : { test_type: type }) };
    const suite = { path, settings, agent: written, cases: [standIn] };
    const { definitions, problems } = parseFiles(writeFiles({ ...project, presets: {} }, suite));
    const [loaded] = definitions.suites;
    if (loaded !== undefined) return { ok: true, definition: AgentDefinition.parse(loaded.agent) };
    if (refused.length === 0) refused = problems.filter(isError).map((problem) => withoutPlace(problem, 'agent'));
  }
  return { ok: false, problems: refused };
}

/** Suite settings, and what is wrong with them that was not wrong with `before`; null for a new suite. */
export function checkSettings(
  project: StoredProject,
  suite: Pick<WrittenSuite, 'settings' | 'agent'>,
  before: Written | null,
): Checked<SuiteSettings> {
  const found = settingsProblems(project, suite);
  const old = before === null ? [] : settingsProblems(project, { ...suite, settings: before });
  const problems = without(found, old);
  if (problems.length > 0) return { ok: false, problems };
  const settings = settingsOf(suite.settings);
  return settings === undefined ? { ok: false, problems: found } : { ok: true, definition: settings };
}

function settingsProblems(
  project: StoredProject,
  { settings, agent }: Pick<WrittenSuite, 'settings' | 'agent'>,
): Problem[] {
  const written = writeFiles({ ...project, presets: {} }, { path, settings, agent, cases: [standIn] });
  const { definitions, problems } = parseFiles(written);
  const known = new Set(Object.keys(project.aiConfigurations));
  const inline = Object.keys(definitions.project.ai_configurations).filter((name) => !known.has(name));
  const message = 'A stored suite names its models: make an AI configuration, and give its name';
  return [
    ...problems
      .filter((problem) => isError(problem) && problem.file === path)
      .map((problem) => withoutPlace(problem, '')),
    ...(inline.length > 0 ? [problemAt('evaluations', 'forbidden_field', message)] : []),
  ];
}

const Settings = Suite.omit({ cases: true });

/** The settings as everything behind the parser sees them; undefined when they do not have the shape. */
function settingsOf(written: Written): SuiteSettings | undefined {
  const validation = validateSuite(written);
  if (!validation.valid || validation.normalized === undefined) return undefined;
  const { schema_version: _version, matrix, ...settings } = validation.normalized;
  const { include = [], exclude = [], ...axes } = { ...(typeof matrix === 'object' ? matrix : {}) } as Written;
  return Settings.safeParse({
    ...settings,
    matrix: axes,
    matrix_include: include,
    matrix_exclude: exclude,
  }).data;
}

/** What a change of the suite breaks in its cases: their new problems, each under the name of its case. */
export function newlyBroken(project: StoredProject, before: WrittenSuite, after: WrittenSuite): Problem[] {
  const problemsOf = (suite: WrittenSuite): Problem[] => {
    const { problems } = parseFiles(writeFiles({ ...project, presets: {} }, suite));
    return suite.cases.flatMap(({ id, written }) =>
      problems
        .filter((problem) => isError(problem) && problem.file === casePath(suite.path, id))
        .map((problem) => ({ ...withoutPlace(problem, ''), path: `cases.${String(written.name)}.${problem.path}` })),
    );
  };
  return without(problemsOf(after), problemsOf(before));
}

/** A case in its suite, and what is wrong with it that was not wrong with `before`; null for a new case. */
export function checkCase(
  project: StoredProject,
  suite: WrittenSuite,
  { written, before }: { written: Written; before: Written | null },
): Checked<TestCase> {
  const problemsOf = (testCase: Written): Problem[] => {
    const alone = { ...suite, cases: [{ id: standIn.id, written: testCase }] };
    const { problems } = parseFiles(writeFiles({ ...project, presets: {} }, alone));
    return problems
      .filter((problem) => isError(problem) && problem.file === casePath(suite.path, standIn.id))
      .map((problem) => withoutPlace(problem, ''));
  };
  const found = problemsOf(written);
  const problems = without(found, before === null ? [] : problemsOf(before));
  if (problems.length > 0) return { ok: false, problems };
  const validation = validateTestCase(written);
  if (!validation.valid || validation.normalized === undefined) return { ok: false, problems: found };
  return { ok: true, definition: TestCase.parse(validation.normalized) };
}

/** A change is refused for what it breaks, not for what was broken: else nothing broken could be repaired step by step. */
function without(problems: readonly Problem[], old: readonly Problem[]): Problem[] {
  const known = new Set(old.map((problem) => JSON.stringify(problem)));
  return problems.filter((problem) => !known.has(JSON.stringify(problem)));
}
