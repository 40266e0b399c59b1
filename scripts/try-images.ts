// `npm run try-images`: builds both images of deploy/Containerfile with buildah and has a pull request judged by processes that run
// in them. Needs root, buildah, and either a registry of images or mmdebstrap, with which it makes the two bases from Debian's packages.
import { spawn } from 'node:child_process';
import { access, chmod, cp, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const programs = [
  { target: 'coordinator', name: 'proofmark-coordinator' },
  { target: 'runner', name: 'proofmark-runner' },
] as const;
const certificates = '/etc/ssl/certs/ca-certificates.crt';
/** Bytes of an image, base included. Node itself is 120 MB of it. */
const largest = 220e6;

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
    const buildah = (...args: string[]) => run(['buildah', ...args], environment);
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
    const containers = new Map<string, string>();
    for (const { name } of programs) containers.set(name, await startableIn(folder, { name, buildah, environment }));
    await step(
      'the images start as an ordinary user, without writing to their root, and judge a pull request',
      async () => {
        const roots = await Promise.all([...containers.values()].map((container) => buildah('mount', container)));
        const start = new Date();
        await run([process.execPath, 'tests/demo/main.ts', '--packages', folder], process.env);
        for (const each of roots) await refuseWritten(each.trim(), start);
      },
    );
    for (const container of containers.values()) await buildah('rm', container);
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

/** An ordinary user, a health check, no shell, and no larger than it need be. */
async function lookAt(name: string, buildah: Buildah): Promise<void> {
  const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', name)) as {
    Docker: { config: { User?: string; Healthcheck?: { Test: string[] } } };
  };
  const { User = '', Healthcheck } = Docker.config;
  if (!/^[1-9]\d*/.test(User)) throw new Error(`It runs as ${User === '' ? 'root' : User}`);
  if (Healthcheck === undefined) throw new Error('It has no health check');
  const container = (await buildah('from', '--pull-never', name)).trim();
  const tree = (await buildah('mount', container)).trim();
  const shells = ['bin/sh', 'usr/bin/sh', 'bin/bash', 'usr/bin/bash'];
  const found = await Promise.all(
    shells.map((path) =>
      access(join(tree, path)).then(
        () => [path],
        () => [],
      ),
    ),
  );
  if (found.flat().length > 0) throw new Error(`It has a shell: ${found.flat().join(', ')}`);
  const bytes = await sizeOf(tree);
  await buildah('rm', container);
  process.stdout.write(`     ${name}: ${Math.round(bytes / 1e6)} MB, user ${User}\n`);
  if (bytes > largest) throw new Error(`It has ${bytes} bytes, and ${largest} are enough`);
}

type Starting = { name: string; buildah: Buildah; environment: NodeJS.ProcessEnv };

/** A program that runs the one of the image, where the demo looks for a package. Answers the name of the container. */
async function startableIn(folder: string, { name, buildah, environment }: Starting): Promise<string> {
  const container = (await buildah('from', '--pull-never', name)).trim();
  const program = join(folder, 'node_modules', name, 'bin', `${name}.mjs`);
  await mkdir(dirname(program), { recursive: true });
  const storage = Object.fromEntries(
    Object.entries(environment).filter(([key]) => key.startsWith('CONTAINERS_') || key === 'BUILDAH_ISOLATION'),
  );
  await writeFile(
    program,
    `import { spawn } from 'node:child_process';
const given = Object.entries(process.env).filter(([name]) => !/^(PATH|HOME|TMPDIR|NODE_.*|npm_.*)$/.test(name));
const words = ['run', '--user', '65532:65532', ...given.flatMap(([name, value]) => ['--env', \`\${name}=\${value}\`])];
const child = spawn('buildah', [...words, '${container}', '--', 'node', 'bin/${name}.mjs'], {
  env: { ...process.env, ...${JSON.stringify(storage)} },
  stdio: 'inherit',
});
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
child.once('close', (code, signal) => process.exit(code ?? (signal === null ? 1 : 143)));
`,
  );
  await chmod(program, 0o755);
  return container;
}

/** Throws for a file below `tree` that is newer than the start: only what a container is given to write may be. */
async function refuseWritten(tree: string, start: Date): Promise<void> {
  const written: string[] = [];
  for (const entry of await readdir(tree)) {
    if (['tmp', 'proc', 'sys', 'dev', 'run'].includes(entry)) continue;
    for (const path of await readdir(join(tree, entry), { recursive: true }).catch(() => [])) {
      const { mtime } = await lstat(join(tree, entry, path));
      // The engine itself writes how names are resolved.
      if (mtime > start && !/^(hosts|resolv\.conf|hostname)$/.test(path)) written.push(join('/', entry, path));
    }
  }
  if (written.length > 0) throw new Error(`Written to the root of the image: ${written.join(', ')}`);
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
