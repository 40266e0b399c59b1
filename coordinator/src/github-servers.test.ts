import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeScratchDirectory } from '../../tests/stack/scratch-directory.ts';
import { githubServer, githubVariables, readFurtherServers, withAddresses } from './github-servers.ts';

const first = githubServer(githubVariables.parse({}));
const folder = await makeScratchDirectory('servers');
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));

const read = (text: string) => readFurtherServers(text, first);

test.for([
  [
    'https://github.example.com/',
    'https://github.example.com/api/v3',
    'https://github.example.com/api/graphql',
    'https://github.example.com/_services/token',
  ],
  [
    'https://acme.ghe.com',
    'https://api.acme.ghe.com',
    'https://api.acme.ghe.com/graphql',
    'https://token.actions.acme.ghe.com',
  ],
])('the addresses of %s follow from where it is', ([GITHUB_SERVER_URL, api, graphql, issuer]) => {
  const derived = withAddresses({ GITHUB_SERVER_URL });
  expect(derived).toMatchObject({ GITHUB_API_URL: api, GITHUB_GRAPHQL_URL: graphql, OIDC_ISSUER: issuer });
  const given = withAddresses({ GITHUB_SERVER_URL, GITHUB_API_URL: 'https://proxy.example.com', OIDC_ISSUER: '' });
  expect(given).toMatchObject({ GITHUB_API_URL: 'https://proxy.example.com', OIDC_ISSUER: issuer });
});

test('github.com is where it always was', () => {
  expect(withAddresses({ GITHUB_SERVER_URL: 'https://github.com' })).toEqual({
    GITHUB_SERVER_URL: 'https://github.com',
  });
  expect(first).toMatchObject({ host: 'github.com', apiUrl: 'https://api.github.com', app: null });
});

test('a file names further servers in the words of the environment, with secrets in files of their own', async () => {
  const key = join(folder, 'key.pem');
  await writeFile(key, pem);
  const { servers, problems } = read(`
- GITHUB_SERVER_URL: https://github.example.com
  GITHUB_APP_ID: 12
  GITHUB_APP_PRIVATE_KEY_FILE: ${key}
  GITHUB_WEBHOOK_SECRET: old secret,new secret
- GITHUB_SERVER_URL: https://acme.ghe.com
`);
  expect(problems).toEqual([]);
  expect(servers).toMatchObject([
    {
      host: 'github.example.com',
      apiUrl: 'https://github.example.com/api/v3',
      app: { id: 12, privateKey: pem.trim() },
      webhookSecrets: ['old secret', 'new secret'],
      oidc: { issuer: 'https://github.example.com/_services/token' },
    },
    { host: 'acme.ghe.com', app: null, webhookSecrets: [] },
  ]);
});

test('everything that is wrong with it is told at once, by server, and no secret is shown', () => {
  const { servers, problems } = read(`
- GITHUB_APP_ID: seven
  GITHUB_TOKEN: hunter2
- GITHUB_SERVER_URL: https://github.example.com
  GITHUB_WEBHOOK_SECRET: hunter2,,
- GITHUB_SERVER_URL: https://github.com
- GITHUB_SERVER_URL: https://other.example.com
  OIDC_ISSUER: https://token.actions.githubusercontent.com
`);
  expect(servers).toHaveLength(2);
  expect(problems).toEqual([
    'PROOFMARK_GITHUB_HOSTS: server 1: GITHUB_SERVER_URL: is missing; it says which server this is',
    'PROOFMARK_GITHUB_HOSTS: server 1: GITHUB_TOKEN: is no variable of a server',
    'PROOFMARK_GITHUB_HOSTS: server 1: GITHUB_APP_ID: "seven" must be a whole number from 1 to 9007199254740991, such as 123456',
    'PROOFMARK_GITHUB_HOSTS: server 1: GITHUB_APP_PRIVATE_KEY: is missing; it must be given together with GITHUB_APP_ID',
    'PROOFMARK_GITHUB_HOSTS: server 2: GITHUB_WEBHOOK_SECRET: its value, which is not shown, must be a secret without a comma, or two separated by one, without blanks around them',
    'PROOFMARK_GITHUB_HOSTS: two servers have the server github.com; each has its own',
    'PROOFMARK_GITHUB_HOSTS: two servers have the issuer https://token.actions.githubusercontent.com; each has its own',
  ]);
});

test('a webhook secret that two servers have is refused, also where one of them is about to leave it', () => {
  const github = { ...first, webhookSecrets: ['hunter2'] };
  const file = (secret: string) =>
    `[{ GITHUB_SERVER_URL: https://github.example.com, GITHUB_WEBHOOK_SECRET: '${secret}' }]`;
  expect(readFurtherServers(file('another,hunter2'), github).problems).toEqual([
    'PROOFMARK_GITHUB_HOSTS: GITHUB_WEBHOOK_SECRET: github.com and github.example.com have the same; the secret alone proves which server has sent a webhook; give the App on one of them another secret',
  ]);
  expect(readFurtherServers(file('another'), github).problems).toEqual([]);
});

test.for(['', '{}', '- [1]', '- GITHUB_SERVER_URL: *nothing', 'no: list'])('%j is no list of servers', (text) => {
  expect(read(text).problems).toEqual([expect.stringContaining('must be a list in YAML')]);
});
