// `npm run release`: publishes what `npm run version` has made a version of; `-- --dry` does the whole of it beside the clone and
// publishes nothing. With --packs FOLDER the tarballs are those of the folder, which another job packed.
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { planRelease, type ReleasePlan } from './release-plan.ts';

const root = join(import.meta.dirname, '..');
const {
  dry,
  packs,
  plan: isAsked,
  notes: isRead,
} = parseArgs({
  options: {
    dry: { type: 'boolean', default: false },
    packs: { type: 'string' },
    plan: { type: 'boolean', default: false },
    notes: { type: 'boolean', default: false },
  },
}).values;

/** What the state in a folder is a release of; undefined after its problems were told. */
function planOf(folder: string): ReleasePlan | undefined {
  const read = (path: string) => (existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : '');
  const planned = planRelease({
    version: String(JSON.parse(read('package.json')).version),
    changelog: read('CHANGELOG.md'),
    pending: readdirSync(join(folder, '.changeset')).filter((name) => name.endsWith('.md') && name !== 'README.md'),
    repository: process.env.GITHUB_REPOSITORY,
  });
  if (planned.ok) return planned.plan;
  process.stderr.write(planned.problems.map((problem) => `${problem}\n`).join(''));
  process.exitCode = 1;
  return undefined;
}

/** For the workflow: what the next jobs publish, or nothing where this commit is no version that is not published yet. */
function tellPlan(folder: string): void {
  const pending = readdirSync(join(folder, '.changeset')).some((name) => name.endsWith('.md') && name !== 'README.md');
  const plan = pending ? undefined : planOf(folder);
  const isNew = plan !== undefined && !isTagged(plan.tag);
  say(
    plan === undefined ? 'No version to publish.' : `${plan.tag}: ${isNew ? 'to be published' : 'published already'}`,
  );
  const output = process.env.GITHUB_OUTPUT;
  if (output === undefined || plan === undefined) return;
  appendFileSync(output, `publish=${isNew}\nversion=${plan.version}\ntag=${plan.tag}\nmoving=${plan.movingTag}\n`);
}

const isTagged = (tag: string): boolean =>
  execFileSync('git', ['ls-remote', '--tags', 'origin', `refs/tags/${tag}`], { cwd: root })
    .toString()
    .trim() !== '';

/** Publishes each package that the registry does not have in this version: whatever broke off goes on where it was. */
function release(folder: string, packed: string | undefined): void {
  const plan = planOf(folder);
  if (plan === undefined) return;
  const tarballs = packed ?? packInto(folder);
  for (const name of plan.packages) {
    if (isPublished(name, plan.version)) say(`${name}@${plan.version} is there already`);
    else npm(['publish', tarballOf(tarballs, name, plan.version)]);
  }
}

function dryRelease(): void {
  const beside = mkdtempSync(join(tmpdir(), 'proofmark-release-'));
  const clone = join(beside, 'clone');
  try {
    execFileSync('git', ['clone', '--quiet', '--local', root, clone]);
    // A dry run is for what is about to be committed.
    const changed = execFileSync('git', ['ls-files', '--modified', '--others', '--exclude-standard'], { cwd: root });
    for (const path of changed
      .toString()
      .split('\n')
      .filter((line) => line !== '' && existsSync(join(root, line))))
      cpSync(join(root, path), join(clone, path), { recursive: true });
    const pending = readdirSync(join(clone, '.changeset')).length > 2;
    if (pending) run(clone, 'npm', ['run', '--silent', 'version']);
    const plan = planOf(clone);
    if (plan === undefined) return;
    const tarballs = packInto(clone);
    for (const name of plan.packages) npm(['publish', '--dry-run', tarballOf(tarballs, name, plan.version)]);
    say(`\nPackages  ${plan.packages.map((name) => `${name}@${plan.version}`).join(', ')}`);
    say(`Images    ${plan.images.join(', ')} (linux/amd64, linux/arm64)`);
    say(`Release   ${plan.tag}, which stays; ${plan.movingTag} moves to it`);
    say(`\n${plan.notes}\n\nDry: nothing was published, and nothing changed in this clone.`);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

function packInto(folder: string): string {
  const target = join(folder, '.proofmark/packs');
  rmSync(target, { recursive: true, force: true });
  run(folder, process.execPath, ['scripts/with-node.mjs', 'scripts/pack.ts', target]);
  return target;
}

/** npm calls the tarball of `@proofmark/client` `proofmark-client`. */
const tarballOf = (folder: string, name: string, version: string): string =>
  join(folder, `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`);

const isPublished = (name: string, version: string): boolean =>
  spawnSync('npm', ['view', `${name}@${version}`, 'version'], { cwd: tmpdir() })
    .stdout.toString()
    .trim() === version;

function npm(args: readonly string[]): void {
  run(tmpdir(), 'npm', args);
}

function run(cwd: string, command: string, args: readonly string[]): void {
  execFileSync(command, [...args], { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

if (dry) dryRelease();
else if (isAsked) tellPlan(root);
else if (isRead) say(planOf(root)?.notes ?? '');
else release(root, packs === undefined ? undefined : resolve(packs));
