import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import type { Ledger } from '../database/open-ledger.fixture.ts';
import { anInput, begin, given, leases, portsOf, type Tenant } from '../story.fixture.ts';
import { StartStoredRunInput, startStoredRun } from './start-stored-run.ts';

const ofRepository = { triggeredBy: 'api', repositoryExternalId: '77' } as const;

/** Where the suite of words lies. */
export const path = 'evals/words.suite.yaml';
const type = `
name: words
variables_schema:
  schemaVersion: "1.0"
  variables:
    - { name: Word, displayName: Word, dataType: string, valueSource: freeform, required: false, defaultValue: of the type }
    - { name: Size, displayName: Size, dataType: number, valueSource: static, possibleValues: [{ value: 1 }, { value: 2 }], required: false }
`;
const suite = (word = 'of the suite') => `
name: Words
agent: { name: Bot, instructions: "Say {{Word}}.", driver: { type: scripted, replies: [{ reply: ok }] } }
test_type: words
variables: { Word: ${word} }
matrix: { Size: [1, 2] }
cases:
  - { name: first, input: "Say {{Word}}", expected_behavior: { checks: [{ type: contains_phrases, phrases: [ok] }] } }
  - { name: second, input: Go, expected_behavior: { checks: [{ type: contains_phrases, phrases: [ok] }] }, variables: { Word: { defaultValue: of the test } } }
`;
const files = (word?: string) => [
  { path: 'proofmark.yaml', text: 'test_types: ["*.type.yaml"]\npresets: { big: { Size: 2 } }\n' },
  { path: 'words.type.yaml', text: type },
  { path, text: suite(word) },
];

/** A run of its files; `word` is the value that the suite gives. */
export const filesInput = (word?: string, more: Parameters<typeof anInput>[0] = {}) =>
  anInput({ trigger: ofRepository, files: files(word), suitePaths: [path], projectPath: 'proofmark.yaml', ...more });

/** Stores the suite of words and starts runs of it, for the tenant of the test. */
export function wordsOf(ledger: () => Ledger, tenant: () => Tenant) {
  async function idOf(table: 'agent_test_suites' | 'test_cases', name: string): Promise<string> {
    const text = `select id from ${table} where tenant_id = $1 and name = $2 and deleted_at is null`;
    return given((await ledger().query<{ id: string }>(text, [tenant().id, name]))[0]).id;
  }

  /** Starts from a run of files, whose suite is stored from then on, and returns its id. */
  async function storeSuite(word?: string): Promise<string> {
    await begin(ledger(), tenant(), filesInput(word));
    return idOf('agent_test_suites', 'Words');
  }

  const startStored = (more: Partial<z.input<typeof StartStoredRunInput>>) =>
    startStoredRun(
      portsOf(ledger()),
      tenant().caller,
      StartStoredRunInput.parse({ idempotencyKey: randomUUID(), ...more }),
    );

  async function mustStart(more: Partial<z.input<typeof StartStoredRunInput>>): Promise<string> {
    const answer = await startStored(more);
    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    return answer.runId;
  }

  /** What each test run was given: its cell, its case, and the value of Word with the level it came from. */
  const planned = (runId: string) =>
    ledger().query(
      `select s.cell_key as cell, l.case_name as name, l.resolved_variables -> 'values' ->> 'Word' as word,
         l.resolved_variables -> 'sources' ->> 'Word' as source, l.work -> 'case' ->> 'input' as input
       from ${leases} l join test_suite_runs s on s.id = l.suite_run_id
       where l.run_id = $1 order by s.sort_order, l.sort_order`,
      [runId],
    );

  return { idOf, storeSuite, startStored, mustStart, planned };
}
