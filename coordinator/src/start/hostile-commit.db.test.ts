import { expect, test } from 'vitest';
import { newRepository, newTenant, ownLedger, portsOf } from '../story.fixture.ts';
import { holdForApproval } from './start-approved-run.ts';

const ledger = await ownLedger();

const suite = (name: string, cases: string, watch = '[]'): string =>
  `name: ${name}\nagent: { name: a, instructions: Be nice., driver: { type: scripted, replies: [{ reply: hi }] } }\nwatch: ${watch}\ncases:\n${cases}`;
const aCase = (name: string, input: string): string =>
  `  - { name: ${name}, input: "${input}", expected_behavior: { checks: [{ type: contains_phrases, phrases: [hi] }] } }\n`;
const times = (count: number, piece: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => piece(at)).join('');

/** What a fork can put in the way, each about as large as a file may be. */
const heads: Record<string, Record<string, string>> = {
  'many cases': filesOf(16, () => times(6_500, (at) => aCase(`c${at}`, 'When do you open? '.repeat(3)))),
  'few cases and much text': filesOf(16, () => times(2, (at) => aCase(`c${at}`, 'a word '.repeat(70_000)))),
  'what looks like keys': filesOf(16, () => times(20, (at) => aCase(`c${at}`, '-eyJ'.repeat(12_000)))),
  'patterns that take long': filesOf(
    4,
    () => aCase('c', 'hi'),
    JSON.stringify(Array.from({ length: 100 }, (_, at) => `${'*a'.repeat(140)}${at}`)),
  ),
  'patterns of ranges': filesOf(4, () => aCase('c', 'hi'), '["{1..100000}", "+(a|aa)+(a|aa)+(a|aa)b"]'),
  'names that lead to each other': filesOf(4, () => '  - &a { name: c, input: hi }\n  - *a\n'),
};

function filesOf(count: number, cases: () => string, watch?: string): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`evals/s${at}.suite.yaml`, suite(`S${at}`, cases(), watch)]),
  );
}

const baseFiles = filesOf(16, () => aCase('c', 'hi'));
const committed = (files: Record<string, string>) => ({
  paths: new Set(Object.keys(files)),
  size: (path: string) => files[path]?.length ?? 0,
  blobSha: () => null,
  read: (path: string) => Promise.resolve(Buffer.from(files[path] ?? '')),
});
const changed = { paths: Array.from({ length: 299 }, (_, at) => `src/${'a'.repeat(200)}${at}.ts`), isComplete: true };
const sha = (letter: string) => letter.repeat(40);

/** The most that this thread has worked without a turn for anybody else. Time on the clock would measure other processes too. */
async function longestTurnMs(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let before = process.threadCpuUsage();
  let isOn = true;
  const turn = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (isOn) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOn = false;
  return longest;
}

test.for(Object.entries(heads))(
  'a fork with %s never keeps the coordinator from its other work for 100 ms',
  { timeout: 300_000 },
  async ([_what, head]) => {
    const tenant = await newTenant(ledger);
    const id = await newRepository(ledger, tenant, '5');
    const [row] = await ledger.query<{ externalId: string }>(
      'select external_id as "externalId" from repositories where id = $1',
      [id],
    );
    const repository = { tenantId: tenant.caller.tenantId, id, host: 'github.com', fullName: 'acme/shop' };
    const forge = {
      committed: (_repository: unknown, commit: string) =>
        Promise.resolve(committed(commit === sha('a') ? baseFiles : head)),
      changed: () => Promise.resolve(changed),
      mergeBase: () => Promise.resolve(null),
      ancestors: () => Promise.resolve(null),
    };
    const ports = { ...portsOf(ledger), forge, blobQuotaBytes: 1_000_000 };
    const now = {
      ...{ headSha: sha('b'), headRef: 'change', headRepository: 'stranger/shop', baseSha: sha('a') },
      ...{ author: 'stranger', title: null, isOpen: true, isMerged: false, isFork: true },
    };
    const longest = await longestTurnMs(async () => {
      const held = await holdForApproval(ports, { ...repository, externalId: row?.externalId ?? '' }, 7, now);
      expect(held).toMatchObject({ ok: true });
    });
    expect(longest).toBeLessThan(100);
  },
);

test('a fork that pushes again and again is read a few times an hour, and a commit that is held already not once more', async () => {
  const tenant = await newTenant(ledger);
  const id = await newRepository(ledger, tenant, '5');
  const repository = {
    tenantId: tenant.caller.tenantId,
    id,
    host: 'github.com',
    externalId: '77',
    fullName: 'acme/shop',
  };
  const heads: string[] = [];
  const forge = {
    committed: (_repository: unknown, commit: string) => {
      if (commit !== sha('a')) heads.push(commit);
      return Promise.resolve(committed(baseFiles));
    },
    changed: () => Promise.resolve(changed),
    mergeBase: () => Promise.resolve(null),
    ancestors: () => Promise.resolve(null),
  };
  const ports = { ...portsOf(ledger), forge, blobQuotaBytes: 1_000_000 };
  const push = async (headSha: string) =>
    await holdForApproval(ports, repository, 8, {
      ...{ headSha, headRef: 'change', headRepository: 'stranger/shop', baseSha: sha('a') },
      ...{ author: 'stranger', title: null, isOpen: true, isMerged: false, isFork: true },
    });
  for (let at = 0; at < 25; at += 1) await push(String(at).padStart(40, '0'));
  await push('0'.repeat(40));
  expect([heads.length, new Set(heads).size]).toEqual([20, 20]);
});
