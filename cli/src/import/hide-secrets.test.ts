import { expect, test } from 'vitest';
import { hideSecrets, nameSecrets } from './hide-secrets.ts';

const hide = (value: unknown) => hideSecrets(value, { owner: 'shop', nameSecret: nameSecrets(value) });
const key = `sk-${'aB3_-x'.repeat(4)}`;

test.for<[string, unknown, unknown]>([
  ['a key by its name', { apiKey: 'abc' }, { apiKey: '{{env.SHOP_API_KEY}}' }],
  ['a key of a number', { password: 1234 }, { password: '{{env.SHOP_PASSWORD}}' }],
  ['a key by its looks', { about: `Use ${key}!` }, { about: 'Use {{env.SHOP_ABOUT}}!' }],
  ['a key that looks like one', { key: 'a1b2c3d4' }, { key: '{{env.SHOP_KEY}}' }],
  [
    'a pass',
    { pass: 'hunter', user_pass: 'up', env: { DB_PASS: 'db' }, auth: { user: 'emma', pass: 'e' } },
    {
      ...{ pass: '{{env.SHOP_PASS}}', user_pass: '{{env.SHOP_USER_PASS}}', env: { DB_PASS: '{{env.DB_PASS}}' } },
      auth: { user: 'emma', pass: '{{env.SHOP_PASS_2}}' },
    },
  ],
  ['a header', { headers: { 'X-Auth': 'letmein' } }, { headers: { 'X-Auth': '{{env.SHOP_X_AUTH}}' } }],
  [
    'what stands behind a scheme',
    { Authorization: 'Bearer abc' },
    { Authorization: 'Bearer {{env.SHOP_AUTHORIZATION}}' },
  ],
  ['a scheme anywhere', { send: 'Basic dXNlcjpwYXNz' }, { send: 'Basic {{env.SHOP_SEND}}' }],
  [
    'a pair of name and value',
    [{ name: 'x-api-key', value: 'abc' }],
    [{ name: 'x-api-key', value: '{{env.SHOP_X_API_KEY}}' }],
  ],
  ['an option and its value', ['--api-key', 'abc'], ['--api-key', '{{env.SHOP_API_KEY}}']],
  [
    'what lies below credentials',
    { credentials: { user: 'emma', type: 'basic' } },
    { credentials: { user: '{{env.SHOP_USER}}', type: 'basic' } },
  ],
  ['a variable', { env: { OPENAI_API_KEY: 'abc' } }, { env: { OPENAI_API_KEY: '{{env.OPENAI_API_KEY}}' } }],
  ['a password in an address', 'https://emma:abc@shop.example/x', 'https://emma:{{env.SHOP_PASSWORD}}@shop.example/x'],
  [
    'a key in an address',
    'https://shop.example/?a=1&api_key=abc&b=2',
    'https://shop.example/?a=1&api_key={{env.SHOP_API_KEY}}&b=2',
  ],
  ['a key in a connection', 'Host=shop;AccountKey=abc', 'Host=shop;AccountKey={{env.SHOP_ACCOUNT_KEY}}'],
  ['a key in JSON', '{"q":"{{prompt}}","api_key":"abc"}', '{"q":"{{prompt}}","api_key":"{{env.SHOP_API_KEY}}"}'],
  [
    'a header of a command',
    "curl -H 'Authorization: Bearer abc' x",
    "curl -H 'Authorization: Bearer {{env.SHOP_AUTHORIZATION}}' x",
  ],
  [
    'an option of a command',
    'python desk.py --api-key abc --top 3',
    'python desk.py --api-key {{env.SHOP_API_KEY}} --top 3',
  ],
  ['what a name logs in with', 'curl -u emma:abc x.example', 'curl -u emma:{{env.SHOP_PASSWORD}} x.example'],
  ['the same close by', "curl -u'emma:abc' x", "curl -u'emma:{{env.SHOP_PASSWORD}}' x"],
  ['the same in full', 'curl --user=emma:abc x', 'curl --user=emma:{{env.SHOP_PASSWORD}} x'],
  ['the same in a list', ['-u', 'emma:abc', 'x'], ['-u', 'emma:{{env.SHOP_PASSWORD}}', 'x']],
  ['a variable of a command', 'env DB_PASS=abc node x', 'env DB_PASS={{env.DB_PASS}} node x'],
])('%s is a secret', ([_what, value, hidden]) => {
  expect(hide(value).value).toEqual(hidden);
});

test.for<[string, unknown]>([
  ['a limit', { max_tokens: 500, maxTokens: '500', budget_tokens: 1024 }],
  ['a field to sort by', { sort_key: 'created', keys: ['name', 'city'] }],
  [
    'a place where one is given',
    { tokenUrl: 'https://shop.example/token', apiKeyEnvar: 'SHOP_KEY', key_file: 'a.pem' },
  ],
  [
    'a value of the environment',
    { apiKey: '{{env.SHOP_KEY}}', token: '$SHOP_TOKEN', secret: ['$', '{SHOP}'].join('') },
  ],
  ['nothing', { apiKey: '', password: null, token: true }],
  [
    'a tool that asks for one',
    { tools: [{ parameters: { properties: { password: { type: 'string', description: 'abc1defg' } } } }] },
  ],
  ['prose', { style: 'Basic Mathematics for all', about: 'Bearer of news: the key is kindness' }],
  [
    'a pass that opens nothing',
    { bypass: 'yes', byPass: 'yes', passing: 'all', passages: 'two', first_pass: 'outline' },
  ],
  ['a user with a group', 'docker run -u 1000:1000 desk'],
  ['a user by itself', ['python', '-u', 'desk.py', '--user', 'emma', '-u', 'https://shop.example']],
  ['a command', 'node desk.mjs --keys --sort-key name'],
])('%s is no secret', ([_what, value]) => {
  expect(hide(value)).toEqual({ value, hidden: [] });
});

test('one secret has one name wherever it stands, and another secret another name', () => {
  const { value, hidden } = hide([{ token: 'a1b2c3d4' }, { token: 'a1b2c3d4' }, { token: 'z1b2c3d4' }]);
  expect(value).toEqual([
    { token: '{{env.SHOP_TOKEN}}' },
    { token: '{{env.SHOP_TOKEN}}' },
    { token: '{{env.SHOP_TOKEN_2}}' },
  ]);
  expect(hidden).toEqual([
    { path: [0, 'token'], name: 'SHOP_TOKEN' },
    { path: [2, 'token'], name: 'SHOP_TOKEN_2' },
  ]);
});

test('a hostile text is read in time that grows with it', () => {
  const texts = ['-a', 'a-', '"a":"', '://', 'a=', '--', 'sk-', 'token:', 'bearer ', '-u', '-u a', ' --user=a'].map(
    (part) => part.repeat(100_000),
  );
  const before = process.cpuUsage();
  for (const text of texts) hide({ text });
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(10);
});
