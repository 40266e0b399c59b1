import type { Configurations } from '../authored/configurations.ts';
import type { AiConfiguration } from '../definitions/ai-configuration.ts';
import { simulatesTools } from '../definitions/mocks.ts';
import { providers } from '../definitions/providers.ts';
import { metricNeeds } from '../definitions/standard-metrics.ts';
import type { Suite } from '../definitions/suite.ts';

/**
 * The suite with a simulator and an embedding model where its cases or tools need them and only a judge is named: the judge's
 * configuration simulates, and its provider embeds. What cannot be derived stays null and is reported by the review.
 */
export function fillMeasuringModels(configurations: Configurations, suite: Suite): Suite {
  const judge = suite.judge?.ai_configuration;
  const settings = judge === undefined ? undefined : configurations.get(judge);
  if (judge === undefined || settings === undefined) return suite;
  const playsSomething =
    suite.cases.some(({ kind }) => kind === 'simulated') || simulatesTools(suite.mocks, suite.mock_settings);
  const simulates = suite.simulator === null && playsSomething;
  const embeds = suite.embedding === null && (suite.cases.some(needsEmbedding) || hasEmbeddingMetric(suite));
  const embedding = embeds ? embeddingOf(settings) : undefined;
  return {
    ...suite,
    ...(simulates
      ? { simulator: { ai_configuration: judge, temperature: 0.7, first_speaker: 'user', review: 'off' } }
      : {}),
    ...(embedding === undefined
      ? {}
      : { embedding: { ai_configuration: configurations.adopt(`${judge}/embeddings`, embedding) } }),
  };
}

const needsEmbedding = ({ expected_behavior }: Suite['cases'][number]): boolean =>
  expected_behavior?.checks.some(({ type }) => type === 'semantic_similarity') ?? false;

const hasEmbeddingMetric = ({ evaluations }: Suite): boolean =>
  evaluations?.metrics.some((metric) => metric.enabled && metricNeeds(metric)?.asks === 'embedding') ?? false;

/** Undefined for a provider without embeddings: then the suite must name a configuration that has them. */
function embeddingOf({ provider, base_url, api_key_env }: AiConfiguration): AiConfiguration | undefined {
  const model = providers[provider].embeddingModel;
  if (model === undefined) return undefined;
  return {
    provider,
    model,
    ...(base_url === undefined ? {} : { base_url }),
    ...(api_key_env === undefined ? {} : { api_key_env }),
  };
}
