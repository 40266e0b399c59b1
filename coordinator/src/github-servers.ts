import { createPrivateKey } from 'node:crypto';
import { type GivenVariables, readSecretFile, readVariables } from '@proofmark/process/read-variables';
import { safeAddress, webAddress, wholeNumber } from '@proofmark/process/variable-kinds';
import { parse } from 'yaml';
import { z } from 'zod';

const isPem = (text: string): boolean => {
  try {
    return createPrivateKey(readPem(text)).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
};
/** GitHub takes secrets with blanks inside. */
const oneOrTwoSecrets = /^(?! )[^,\n]+(?<! )(,(?! )[^,\n]+(?<! ))?$/;

/** What is said about a GitHub server: of the first one by the environment, of each further one by a file, in the same words. */
export const githubVariables = z.object({
  GITHUB_SERVER_URL: webAddress('https://github.com')
    .default('https://github.com')
    .describe(
      'Where people see repositories. For an Enterprise Server this is enough: the addresses below are derived from it',
    ),
  GITHUB_API_URL: webAddress('https://api.github.com')
    .default('https://api.github.com')
    .describe('Where programs reach GitHub'),
  GITHUB_GRAPHQL_URL: webAddress('https://api.github.com/graphql')
    .default('https://api.github.com/graphql')
    .describe('The same for GraphQL'),
  OIDC_ISSUER: safeAddress('https://token.actions.githubusercontent.com')
    .default('https://token.actions.githubusercontent.com')
    .describe('Issuer of the tokens of CI jobs'),
  OIDC_JWKS_URI: safeAddress('https://token.actions.githubusercontent.com/.well-known/jwks')
    .optional()
    .describe('Keys of the issuer. Absent: found by discovery'),
  GITHUB_APP_ID: wholeNumber(1, 2 ** 53 - 1, 123456)
    .optional()
    .describe('Absent: no App, nothing is written to GitHub'),
  GITHUB_APP_PRIVATE_KEY: z
    .string()
    .refine(isPem, 'must be the RSA key that GitHub made for the App: PEM, with real or \\n newlines, or base64 of it')
    .transform(readPem)
    .optional()
    .describe('PEM, with real or \\n newlines, or base64 of it'),
  GITHUB_WEBHOOK_SECRET: z
    .string()
    .regex(oneOrTwoSecrets, 'must be a secret without a comma, or two separated by one, without blanks around them')
    .optional()
    .describe('Two secrets separated by a comma during rotation'),
  GITHUB_APP_SLUG: z
    .string()
    .regex(/^[a-z0-9_-]+$/i, 'must be the name in the URL of the App, such as proofmark')
    .optional()
    .describe('Absent: asked from GitHub'),
  GITHUB_APP_INSTALLATION_ID: wholeNumber(1, 2 ** 53 - 1, 1234567)
    .optional()
    .describe('Absent: looked up for each repository'),
});
type GithubVariables = z.output<typeof githubVariables>;

/** They may be read from files, and are never shown. */
export const githubSecrets = ['GITHUB_APP_PRIVATE_KEY', 'GITHUB_WEBHOOK_SECRET'] as const;

/** A GitHub whose repositories are gated: github.com, or an Enterprise Server. */
export interface GithubServer {
  /** By which repositories, jobs and webhooks are known to be of this one. */
  host: string;
  serverUrl: string;
  apiUrl: string;
  graphqlUrl: string;
  /** Null: nothing is written to it. */
  app: { id: number; privateKey: string; slug: string | undefined; installationId: number | undefined } | null;
  webhookSecrets: readonly string[];
  oidc: { issuer: string; jwksUri: string | undefined };
}

export function githubServer(variables: GithubVariables): GithubServer {
  const { GITHUB_APP_ID: id, GITHUB_APP_PRIVATE_KEY: privateKey } = variables;
  const { GITHUB_APP_SLUG: slug, GITHUB_APP_INSTALLATION_ID: installationId } = variables;
  return {
    host: new URL(variables.GITHUB_SERVER_URL).host,
    serverUrl: variables.GITHUB_SERVER_URL,
    apiUrl: variables.GITHUB_API_URL,
    graphqlUrl: variables.GITHUB_GRAPHQL_URL,
    app: id === undefined || privateKey === undefined ? null : { id, privateKey, slug, installationId },
    webhookSecrets: variables.GITHUB_WEBHOOK_SECRET?.split(',') ?? [],
    oidc: { issuer: variables.OIDC_ISSUER, jwksUri: variables.OIDC_JWKS_URI },
  };
}

/** The addresses that follow from where a server is, unless others are given. */
export function withAddresses(given: GivenVariables): GivenVariables {
  const { GITHUB_SERVER_URL: server = '' } = given;
  if (!URL.canParse(server) || new URL(server).host === 'github.com') return given;
  const { origin, protocol, host } = new URL(server);
  // What GitHub hosts itself under a name of the customer, and what the customer hosts.
  const derived = host.endsWith('.ghe.com')
    ? { api: `${protocol}//api.${host}`, graphql: `${protocol}//api.${host}/graphql`, actions: `token.actions.${host}` }
    : { api: `${origin}/api/v3`, graphql: `${origin}/api/graphql`, actions: `${host}/_services/token` };
  return {
    ...given,
    GITHUB_API_URL: given.GITHUB_API_URL || derived.api,
    GITHUB_GRAPHQL_URL: given.GITHUB_GRAPHQL_URL || derived.graphql,
    OIDC_ISSUER: given.OIDC_ISSUER || `${protocol}//${derived.actions}`,
  };
}

/** Values of one server that are right by themselves and wrong together. */
export function contradictionsOf(given: GivenVariables): string[] {
  const has = (name: string) => Boolean(given[name] || given[`${name}_FILE`]);
  const [id, key] = ['GITHUB_APP_ID', 'GITHUB_APP_PRIVATE_KEY'];
  if (has(id) === has(key)) return [];
  return has(id)
    ? [`${key}: is missing; it must be given together with ${id}`]
    : [`${id}: is missing; it must be given together with ${key}`];
}

const value = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const known = new Set([...Object.keys(githubVariables.shape), ...githubSecrets.map((name) => `${name}_FILE`)]);
const Entry = z.record(z.string(), value);
const form =
  'must be a list in YAML with the variables of each further server, such as `- GITHUB_SERVER_URL: https://github.example.com`';

interface ServersReading {
  servers: GithubServer[];
  problems: string[];
}

/** The text of the file at a path. */
export const serversFile = z.string().transform((path, context) => {
  const file = readSecretFile(path);
  if (file.ok) return file.text;
  context.addIssue(`must be the path of a file that this process may read (${file.reason})`);
  return z.NEVER;
});

/** The servers that a file names beside the first one, or every problem with it. */
export function readFurtherServers(text: string, first: GithubServer | null): ServersReading {
  const where = 'PROOFMARK_GITHUB_HOSTS';
  const entries = z.array(Entry).safeParse(parseYaml(text));
  if (!entries.success) return { servers: [], problems: [`${where}: its file ${form}`] };
  const read = entries.data.map((entry, index) => readEntry(entry, `${where}: server ${index + 1}: `));
  const servers = read.flatMap(({ server }) => server ?? []);
  const problems = read.flatMap((one) => one.problems);
  const all = first === null ? servers : [first, ...servers];
  for (const [what, of] of Object.entries({
    server: (one: GithubServer) => one.host,
    issuer: (one: GithubServer) => one.oidc.issuer,
  })) {
    const twice = new Set(all.map(of).filter((name, at, names) => names.indexOf(name) !== at));
    for (const name of twice) problems.push(`${where}: two servers have the ${what} ${name}; each has its own`);
  }
  for (const [at, { host, webhookSecrets }] of all.entries()) {
    const alike = all.slice(0, at).find((one) => one.webhookSecrets.some((secret) => webhookSecrets.includes(secret)));
    if (alike === undefined) continue;
    const why = 'the secret alone proves which server has sent a webhook; give the App on one of them another secret';
    problems.push(`${where}: GITHUB_WEBHOOK_SECRET: ${alike.host} and ${host} have the same; ${why}`);
  }
  return { servers, problems };
}

function parseYaml(text: string): unknown {
  try {
    return parse(text);
  } catch {
    // Told as any other text that is no list: an excerpt could show a secret.
    return null;
  }
}

function readEntry(entry: GivenVariables, where: string): { server: GithubServer | null; problems: string[] } {
  const { complete, problems } = readVariables(githubVariables, withAddresses(entry), {
    secrets: githubSecrets,
    readFile: readSecretFile,
  });
  const all = [
    ...(entry.GITHUB_SERVER_URL ? [] : ['GITHUB_SERVER_URL: is missing; it says which server this is']),
    ...Object.keys(entry).flatMap((name) => (known.has(name) ? [] : [`${name}: is no variable of a server`])),
    ...problems,
    ...contradictionsOf(entry),
  ];
  const server = complete === undefined || all.length > 0 ? null : githubServer(complete);
  return { server, problems: all.map((problem) => where + problem) };
}

function readPem(text: string): string {
  const pem = text.includes('-----BEGIN') ? text : Buffer.from(text, 'base64').toString('utf8');
  return pem.replaceAll('\\n', '\n');
}
