import type { LoadedSuite } from '@proofmark/contracts/load-definitions';
import { TestCase } from '@proofmark/contracts/test-case';
import { parseAssignments } from '@proofmark/domain/parse-assignments';
import type { AbOptions } from '../arguments/ab-options.ts';
import type { UsableDefinitions } from '../arguments/open-definitions.ts';

type AskedSuite = { ok: true; suites: LoadedSuite[] } | { ok: false; usage: string };

/**
 * What was typed as questions, as a suite of its own: the agent, its type and its variables are those of an agent file
 * or of the one suite that there is, and nothing of it is judged.
 */
export function askedSuite(
  { ask, metadata, baseline, candidate }: Pick<AbOptions, 'ask' | 'metadata' | 'baseline' | 'candidate'>,
  { agents, definitions }: Pick<UsableDefinitions, 'agents' | 'definitions'>,
): AskedSuite {
  const noted = parseAssignments(metadata);
  if (!noted.ok) return { ok: false, usage: `--metadata: ${noted.error.message}. Type --metadata NAME=VALUE.` };
  const file = baseline ?? candidate;
  const host = file === undefined ? onlyOne(definitions.suites) : agents.get(file);
  if (host === undefined) {
    const found = definitions.suites.length === 0 ? 'is no suite' : `are ${definitions.suites.length} suites`;
    return {
      ok: false,
      usage: `Say whom to ask: there ${found} here. Name one suite file, or an agent file with --baseline or --candidate.`,
    };
  }
  const notes = Object.fromEntries(noted.assignments.map(({ name, text }) => [name, text]));
  return { ok: true, suites: [withQuestions(host, ask, notes)] };
}

const onlyOne = (suites: readonly LoadedSuite[]): LoadedSuite | undefined =>
  suites.length === 1 ? suites[0] : undefined;

function withQuestions(host: LoadedSuite, questions: readonly string[], metadata: Record<string, string>): LoadedSuite {
  const cases = questions.map((input, index) =>
    TestCase.parse({
      ...{ name: `Question ${index + 1}`, kind: 'single', input, literal: true },
      metadata: Object.keys(metadata).length === 0 ? null : metadata,
    }),
  );
  const matrix = { matrix: {}, matrix_include: [], matrix_exclude: [] };
  return {
    ...host,
    suite: { ...host.suite, ...matrix, name: 'Asked', evaluations: null, is_enabled: true, cases },
    path: host.agentPath,
    casePositions: new Map(),
    caseFiles: new Map(),
  };
}
