import type { GeneratedFile } from './generated-file.ts';
import { followPublished } from './generators/published-places.ts';

type Generator = (root: string) => Promise<GeneratedFile[]> | GeneratedFile[];

/** Each generator is imported when it is needed, so that one that cannot load is named by its own error. */
const generators: readonly (() => Promise<Generator>)[] = [
  async () => {
    const { printSchema } = await import('../coordinator/src/graphql/schema.ts');
    return () => [{ path: 'schema.graphql', content: printSchema() }];
  },
  async () => {
    const { definitionSchemas } = await import('../contracts/src/authored/definition-schemas.ts');
    return () =>
      Object.entries(definitionSchemas()).map(([name, schema]) => ({
        path: `schemas/${name}`,
        content: `${JSON.stringify(schema, null, 2)}\n`,
      }));
  },
  async () => (await import('./action-readme.ts')).actionReadme,
  async () => (await import('./bundle-action.ts')).actionBundles,
  async () => (await import('./bundle-dashboard.ts')).dashboardBundle,
  async () => {
    const { brokerAccounts } = await import('../contracts/src/messages/broker-accounts.ts');
    const runner = { runnerId: 'runner', pools: ['default'], nkey: '$RUNNER_NKEY' };
    const gpu = { runnerId: 'gpu', pools: ['gpu'], nkey: '$GPU_RUNNER_NKEY' };
    const accounts = (runners: (typeof runner)[]) =>
      `# Printed from contracts/src/messages/broker-accounts.ts. More runners: \`runner-key NAME\` prints an account.\n${brokerAccounts('$COORDINATOR_NKEY', runners)}`;
    return () => [
      { path: 'deploy/nats/accounts.conf', content: accounts([runner]) },
      { path: 'deploy/kubernetes/overlays/production/accounts.conf', content: accounts([runner, gpu]) },
    ];
  },
  async () => (await import('./generators/metric-pages.ts')).metricPages,
  async () => (await import('./generators/operations.ts')).operationsPage,
  async () => (await import('./generators/command-page.ts')).commandPage,
  async () => (await import('./generators/definition-tables.ts')).definitionTables,
  async () => (await import('./generators/statistics-pictures.ts')).statisticsPictures,
  async () => (await import('./generators/statistics-page.ts')).statisticsPage,
];

/**
 * All generated files, in two parts: the first is to be written before the second is made, for the bundles of the second
 * import it. A bundle cannot be built with an operation that is not printed yet.
 */
export async function* generatedFiles(root: string): AsyncGenerator<GeneratedFile[]> {
  const { typedDocuments } = await import('./generators/typed-documents.ts');
  yield await typedDocuments(root);
  const files: GeneratedFile[] = [];
  for (const load of generators) files.push(...(await (await load())(root)));
  yield followPublished(root, files);
}
