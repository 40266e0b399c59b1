import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import './scalars.ts';
import './queries/viewer.ts';
import './queries/run.ts';
import './queries/runs.ts';
import './queries/suite-run.ts';
import './queries/test-run.ts';
import './queries/validate-variables.ts';
import './queries/suites.ts';
import './queries/suite.ts';
import './queries/compare-suite-runs.ts';
import './queries/comparison.ts';
import './queries/compare.ts';
import './queries/pass-rate-history.ts';
import './queries/case-history.ts';
import './queries/flaky-cases.ts';
import './queries/ai-configurations.ts';
import './queries/test-types.ts';
import './queries/presets.ts';
import './queries/agents.ts';
import './queries/test-case.ts';
import './queries/tags.ts';
import './objects/suite-definition.ts';
import './queries/settings.ts';
import './mutations/start-run.ts';
import './mutations/start-stored-run.ts';
import './mutations/repeat-test-run.ts';
import './mutations/rerun-run.ts';
import './mutations/import-definitions.ts';
import './mutations/change-ai-configurations.ts';
import './mutations/change-test-types.ts';
import './mutations/change-presets.ts';
import './mutations/change-agents.ts';
import './mutations/change-suites.ts';
import './mutations/change-test-cases.ts';
import './mutations/change-members.ts';
import './mutations/cancel-run.ts';
import './mutations/confirm-suite-run.ts';
import './mutations/exchange-token.ts';
import './mutations/enroll-repository.ts';
import './mutations/create-api-token.ts';
import './mutations/revoke-api-token.ts';
import './mutations/update-setting.ts';
import './subscriptions/run-progress.ts';

builder.queryType({ description: 'What can be read.' });
builder.mutationType({
  description: 'What can be changed. Failures that a caller can cause are members of the results.',
});
builder.subscriptionType({ description: 'What can be followed, as server-sent events.' });

/** The whole schema, built once. */
export const schema: GraphQLSchema = builder.toSchema();
