import { z } from 'zod';
import { CaseFile } from './case-file.ts';
import { AgentFile, ProjectFile, SuiteFile } from './suite-file.ts';
import { TestTypeFile } from './test-type-file.ts';

/** One entry per kind of file, by the name under which its schema is published. */
const kinds = {
  'project.schema.json': { shape: ProjectFile, title: 'Proofmark project (proofmark.yaml)' },
  'suite.schema.json': { shape: SuiteFile, title: 'Proofmark suite' },
  'agent.schema.json': { shape: AgentFile, title: 'Proofmark agent' },
  'case.schema.json': { shape: CaseFile, title: 'Proofmark test case' },
  'test-type.schema.json': { shape: TestTypeFile, title: 'Proofmark test type' },
} as const;

/** What `schema_version` of a file may name. */
export const SCHEMA_VERSION = '1.0.0';

/** The JSON Schema of every kind of file as people write it: what editors complete and underline. */
export function definitionSchemas(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, { shape, title }]) => [
      name,
      // Draft 7 is what editors understand; rules that no schema can say are left to `proofmark validate`.
      {
        title,
        $comment: `Schema version ${SCHEMA_VERSION}`,
        ...z.toJSONSchema(shape, { io: 'input', target: 'draft-7', unrepresentable: 'any', reused: 'inline' }),
      },
    ]),
  );
}
