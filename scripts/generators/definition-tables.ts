import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { definitionSchemas } from '../../contracts/src/authored/definition-schemas.ts';
import { providers } from '../../contracts/src/definitions/ai-configuration.ts';
import { CasesFrom } from '../../contracts/src/definitions/case-rows.ts';
import { betweenMarks } from '../between-marks.ts';
import type { GeneratedFile } from '../generated-file.ts';
import { keyTable, readSchema, type Schema } from './key-table.ts';

/** Keys with a table of their own, which the table of what holds them only names. */
const ownTable = {
  project: ['ai_configurations'],
  suite: ['agent', 'cases', 'test_cases', 'cases_from', 'matrix_from', 'evaluations', 'mocks', 'mock_settings', 'gate'],
  agent: ['model', 'evaluations', 'test_cases'],
  case: ['evaluations', 'expected_behavior.checks', 'variables'],
};

/** The pages about files that people write, with the tables of their keys as the parser reads them. */
export function definitionTables(root: string): GeneratedFile[] {
  const schemas = definitionSchemas();
  const of = (kind: string): Schema => readSchema(schemas[`${kind}.schema.json`]);
  const [project, suite, testCase, testType] = [of('project'), of('suite'), of('case'), of('test-type')];
  const part = (schema: Schema, key: string): Schema => schema.properties?.[key] ?? {};
  const tables = {
    'project-file': {
      project: keyTable(project, { leaveOut: ownTable.project }),
      'ai-configuration': keyTable(part(project, 'ai_configurations').additionalProperties ?? {}),
      providers: providerTable(),
    },
    'suite-file': {
      suite: keyTable(suite, { leaveOut: ownTable.suite }),
      gate: keyTable(part(suite, 'gate')),
    },
    'agent-file': { agent: keyTable(of('agent'), { leaveOut: ownTable.agent }) },
    case: { case: keyTable(testCase, { leaveOut: ownTable.case }) },
    checks: { checks: keyTable(testCase.definitions?.Check ?? {}) },
    metrics: { evaluations: keyTable(part(suite, 'evaluations'), { leaveOut: ['model', 'metrics[].model'] }) },
    mocks: {
      mocks: keyTable(part(suite, 'mocks')),
      'mock-settings': keyTable(part(suite, 'mock_settings')),
    },
    variables: {
      'test-type': keyTable(testType),
      override: keyTable(part(testCase, 'variables')),
    },
    data: {
      'cases-from': keyTable(readSchema(z.toJSONSchema(CasesFrom, { io: 'input', unrepresentable: 'any' }))),
    },
  };
  return Object.entries(tables).map(([name, ofPage]) => page(root, `docs/${name}.md`, ofPage));
}

/** What the name of a provider decides, a row for each. */
function providerTable(): string {
  const rows = Object.entries(providers).map(([name, { baseUrl, keyEnv, embeddingModel, needsUrl }]) => {
    const address = baseUrl === undefined ? (needsUrl ? '`base_url` is required' : ownAddress) : code(baseUrl);
    const key = keyEnv ?? (baseUrl === undefined && !needsUrl ? 'OPENAI_API_KEY' : '');
    return [code(name), address, key === '' ? '' : code(key), embeddingModel ?? ''].join(' | ');
  });
  const lines = ['provider | address | key | embeds with', ...rows].map((row) => `| ${row} |`);
  return lines.toSpliced(1, 0, '|---|---|---|---|').join('\n');
}

const ownAddress = 'that of the runner: `OPENAI_BASE_URL`, else `https://api.openai.com/v1`';
const code = (text: string): string => `\`${text}\``;

function page(root: string, path: string, tables: Readonly<Record<string, string>>): GeneratedFile {
  const written = readFileSync(join(root, path), 'utf8');
  const content = Object.entries(tables).reduce((text, [name, table]) => betweenMarks(text, name, table), written);
  return { path, content };
}
