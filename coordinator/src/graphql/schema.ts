import { type GraphQLSchema, lexicographicSortSchema, printSchema as print } from 'graphql';
import { builder } from './builder.ts';
import './scalars.ts';
import { tellUnknownWords } from './words.ts';
import './access/audit.ts';
import './access/principals.ts';
import './access/repositories.ts';
import './access/runners.ts';
import './access/settings.ts';
import './access/tokens.ts';
import './access/viewer.ts';
import './alerts/alerts.ts';
import './alerts/channels.ts';
import './definitions/agents.ts';
import './definitions/ai-configurations.ts';
import './definitions/change-suites.ts';
import './definitions/import-definitions.ts';
import './definitions/presets.ts';
import './definitions/suites.ts';
import './definitions/tags.ts';
import './definitions/test-cases.ts';
import './definitions/test-types.ts';
import './definitions/validate-variables.ts';
import './links.ts';
import './runs/downloads.ts';
import './runs/end-runs.ts';
import './runs/run-progress.ts';
import './runs/runs.ts';
import './runs/scheduled-runs.ts';
import './runs/start-runs.ts';
import './suite-runs/case-history.ts';
import './suite-runs/changes.ts';
import './suite-runs/comparisons.ts';
import './suite-runs/pass-rate-history.ts';
import './suite-runs/suite-runs.ts';
import './test-runs/test-runs.ts';

builder.queryType({ description: 'What can be read.' });
builder.mutationType({
  description: 'What can be changed. Failures that a caller can cause are members of the results.',
});
builder.subscriptionType({ description: 'What can be followed, as server-sent events.' });

/** The whole schema, built once. */
export const schema: GraphQLSchema = tellUnknownWords(builder.toSchema());

/** The text of `schema.graphql`: sorted, so that only real changes show. */
export function printSchema(): string {
  return `${print(lexicographicSortSchema(schema))}\n`;
}
