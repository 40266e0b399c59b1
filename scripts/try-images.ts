// `npm run try-images`: builds both images of deploy/Containerfile with buildah and has a pull request judged by processes that run
// in them. Needs root, buildah, and either a registry of images or mmdebstrap, with which it makes the two bases from Debian's packages.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const root = join(import.meta.dirname, '..');
const programs = [
  { target: 'coordinator', name: 'proofmark-coordinator' },
  { target: 'runner', name: 'proofmark-runner' },
] as const;
/** Of util-linux and coreutils. */
const [unshare, chroot] = ['/usr/bin/unshare', '/usr/sbin/chroot'];
const certificates = '/etc/ssl/certs/ca-certificates.crt';
/** Bytes of an image, base included. Node itself is 120 MB of it. */
const largest = 220e6;

const Settings = z.looseObject({
  User: z.string().default(''),
  Env: z.array(z.string()),
  WorkingDir: z.string(),
  Cmd: z.array(z.string()).min(1),
  Healthcheck: z.looseObject({ Test: z.array(z.string()) }).optional(),
});

const missing = await whatIsMissing();
if (missing === undefined) await tryEverything();
else process.stdout.write(`SKIPPED: no image was built: ${missing}\n`);

async function whatIsMissing(): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'that needs Linux and root';
  return (await isThere('buildah')) ? undefined : 'there is no buildah on the PATH';
}

async function tryEverything(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'proofmark-images-'));
  try {
    const environment = await ownStorage(directory);
    const buildah: Buildah = (...args) => run(['buildah', ...args], environment);
    const bases = Array.from(
      (await readFile(join(root, 'deploy/Containerfile'), 'utf8')).matchAll(/^FROM (\S+[.:]\S+)/gm),
      ([, name]) => name ?? '',
    );
    for (const base of new Set(bases)) await step(`base ${base}`, () => provideBase(base, { directory, buildah }));
    for (const { target, name } of programs) {
      const bud = [
        'bud',
        '--pull-never',
        '--isolation',
        'chroot',
        '--layers',
        '--format',
        'docker',
        '--target',
        target,
      ];
      await step(`build ${name}`, () => buildah(...bud, '-t', name, '-f', join(root, 'deploy/Containerfile'), root));
      await step(`${name} is what it says`, () => lookAt(name, buildah));
    }
    const folder = join(directory, 'programs');
    for (const { name } of programs) {
      const program = await startableIn(folder, { name, buildah });
      await step(`${name} refuses to start without settings`, () => refuseWithoutSettings(program));
    }
    await step('the images start as an ordinary user, on a root that nobody can write, and judge a pull request', () =>
      run([process.execPath, 'tests/demo/main.ts', '--packages', folder], process.env),
    );
  } catch (error) {
    process.stdout.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** A store of images in a folder that goes with it, and no registry but those that are named in full. */
async function ownStorage(directory: string): Promise<NodeJS.ProcessEnv> {
  const files = {
    'storage.conf': `[storage]\ndriver = "vfs"\ngraphroot = "${directory}/graph"\nrunroot = "${directory}/run"\n`,
    'registries.conf': 'unqualified-search-registries = []\n',
    'policy.json': '{"default":[{"type":"insecureAcceptAnything"}]}\n',
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(directory, name), content);
  return {
    ...process.env,
    CONTAINERS_STORAGE_CONF: join(directory, 'storage.conf'),
    CONTAINERS_REGISTRIES_CONF: join(directory, 'registries.conf'),
    BUILDAH_ISOLATION: 'chroot',
  };
}

type Buildah = (...args: string[]) => Promise<string>;
type Building = { directory: string; buildah: Buildah };

/** The base from its registry; where none is reached, one of the same content from packages, under the same name. */
async function provideBase(name: string, { directory, buildah }: Building): Promise<void> {
  const policy = ['--signature-policy', join(directory, 'policy.json')];
  const isPulled = await buildah('pull', ...policy, name).then(
    () => true,
    () => false,
  );
  if (isPulled) return;
  if (!(await isThere('mmdebstrap')))
    throw new Error(`${name} cannot be pulled, and there is no mmdebstrap to make one`);
  const isDistroless = name.includes('distroless');
  const tree = join(directory, isDistroless ? 'runtime' : 'build');
  // `extract` unpacks packages and sets up nothing: there is no shell that could.
  const packages = isDistroless ? 'base-files,libc6,libgcc-s1,libstdc++6,tzdata' : 'ca-certificates,libstdc++6';
  const variant = isDistroless ? 'extract' : 'minbase';
  await run(['mmdebstrap', `--variant=${variant}`, `--include=${packages}`, 'bookworm', tree], process.env);
  await mkdir(join(tree, dirname(certificates)), { recursive: true });
  await cp(certificates, join(tree, certificates));
  if (isDistroless) {
    await writeFile(join(tree, 'etc/passwd'), 'root:x:0:0::/root:/\nnonroot:x:65532:65532::/home/nonroot:/\n');
    await writeFile(join(tree, 'etc/group'), 'root:x:0:\nnonroot:x:65532:\n');
  } else {
    await cp(process.execPath, join(tree, 'usr/local/bin/node'));
    await run(['npm', 'install', '--global', '--prefix', join(tree, 'usr/local'), 'npm@11'], process.env);
  }
  const container = (await buildah('from', '--pull-never', 'scratch')).trim();
  await buildah('copy', container, tree, '/');
  const settings = isDistroless ? ['--user', '65532:65532'] : ['--env', `NODE_EXTRA_CA_CERTS=${certificates}`];
  await buildah('config', ...settings, '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', container);
  await buildah('commit', '--rm', container, name);
  await rm(tree, { recursive: true });
}

async function settingsOf(name: string, buildah: Buildah) {
  const Inspected = z.looseObject({ Docker: z.looseObject({ config: Settings }) });
  return Inspected.parse(JSON.parse(await buildah('inspect', '--type', 'image', name))).Docker.config;
}

/** An ordinary user, a health check, no shell, and no larger than it need be. */
async function lookAt(name: string, buildah: Buildah): Promise<void> {
  const { User, Healthcheck } = await settingsOf(name, buildah);
  if (!/^[1-9]\d*/.test(User)) throw new Error(`It runs as ${User === '' ? 'root' : User}`);
  if (Healthcheck === undefined) throw new Error('It has no health check');
  const container = (await buildah('from', '--pull-never', name)).trim();
  const tree = (await buildah('mount', container)).trim();
  const shells = ['bin/sh', 'usr/bin/sh', 'bin/bash', 'usr/bin/bash'].filter((path) => existsSync(join(tree, path)));
  if (shells.length > 0) throw new Error(`It has a shell: ${shells.join(', ')}`);
  const bytes = await sizeOf(tree);
  await buildah('rm', container);
  process.stdout.write(`     ${name}: ${Math.round(bytes / 1e6)} MB, user ${User}\n`);
  if (bytes > largest) throw new Error(`It has ${bytes} bytes, and ${largest} are enough`);
}

/**
 * A program that becomes the one of the image, where the demo looks for a package: with the user, the command and the environment of
 * the image, on a root that is mounted read-only, and with the process number that it was started with, so that signals reach it.
 * `buildah run` would keep them, and kill it.
 */
async function startableIn(folder: string, { name, buildah }: { name: string; buildah: Buildah }): Promise<string> {
  const { User, Env, WorkingDir, Cmd } = await settingsOf(name, buildah);
  const tree = (await buildah('mount', (await buildah('from', '--pull-never', name)).trim())).trim();
  for (const path of ['proc', 'dev', 'tmp']) await mkdir(join(tree, path), { recursive: true });
  const program = join(folder, 'node_modules', name, 'bin', `${name}.mjs`);
  await mkdir(dirname(program), { recursive: true });
  const mounts = [
    `mount --bind ${tree} ${tree} && mount -o remount,bind,ro ${tree}`,
    `mount -t tmpfs -o mode=1777 tmpfs ${tree}/tmp && mount -t proc proc ${tree}/proc && mount --rbind /dev ${tree}/dev`,
  ].join(' && ');
  const [command = '', ...words] = Cmd;
  const typed = [command, ...words.map((word) => (word.startsWith('bin/') ? join(WorkingDir, word) : word))];
  const start = `${mounts} && exec env "PATH=$IMAGE_PATH" ${chroot} --userspec=${User} --groups= ${tree} ${typed.join(' ')}`;
  await writeFile(
    program,
    `const given = Object.entries(process.env).filter(([name]) => !/^(PATH|HOME|TMPDIR|NODE_.*|npm_.*)$/.test(name));
const ofImage = Object.fromEntries(${JSON.stringify(Env)}.map((line) => [line.split('=')[0], line.replace(/^[^=]*=/, '')]));
const environment = { ...ofImage, ...Object.fromEntries(given), IMAGE_PATH: ofImage.PATH, PATH: process.env.PATH };
process.execve('${unshare}', ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', ${JSON.stringify(start)}], environment);
`,
  );
  return program;
}

/** A wrong setting ends a service with 78, and with its name. */
async function refuseWithoutSettings(program: string): Promise<void> {
  const told = await run([process.execPath, program], { PATH: process.env.PATH }).catch((error: unknown) =>
    String(error),
  );
  if (!told.includes('ended with 78') || !told.includes('NATS_URL')) throw new Error(`It should end with 78:\n${told}`);
}

async function sizeOf(tree: string): Promise<number> {
  const paths = await readdir(tree, { recursive: true });
  let bytes = 0;
  for (const path of paths) {
    const stat = await lstat(join(tree, path)).catch(() => undefined);
    if (stat?.isFile() === true) bytes += stat.size;
  }
  return bytes;
}

async function isThere(program: string): Promise<boolean> {
  return await run([program, '--version'], process.env).then(
    () => true,
    () => false,
  );
}

/** Throws with its output when it fails. */
async function run([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const child = spawn(program, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, all]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => {
    out.push(chunk);
    all.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => all.push(chunk));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exit, signal) => resolve(signal ?? exit));
  });
  if (code !== 0)
    throw new Error(
      `${program} ${args.join(' ')} ended with ${String(code)}:\n${Buffer.concat(all).toString().slice(-8000)}`,
    );
  return Buffer.concat(out).toString();
}

async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const start = performance.now();
  try {
    const result = await work();
    process.stdout.write(`ok   ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)\n`);
    return result;
  } catch (error) {
    process.stdout.write(`FAIL ${name}\n`);
    throw error;
  }
}
