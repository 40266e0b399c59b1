// Bundles the services to plain JavaScript for images: one folder each, without node_modules and without types.
import { cp, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const services = {
  coordinator: {
    main: 'coordinator/src/main.ts',
    migrate: 'coordinator/src/migrate-main.ts',
    access: 'coordinator/src/access-main.ts',
    'runner-key': 'coordinator/src/dispatch/runner-key-main.ts',
    'parse-worker': 'coordinator/src/definitions/parse-worker.ts',
    'github-app': 'coordinator/src/github-app-main.ts',
  },
  runner: {
    main: 'runner-agent/src/main.ts',
    'heartbeat-worker': 'runner-agent/src/consume/heartbeat-worker.ts',
    'convert-child': 'runner-agent/src/files/convert-child.ts',
    'code-host': 'runner-agent/src/drivers/code-host.ts',
  },
} as const;

const target = resolve(process.argv[2] ?? join(root, 'deploy/build'));
for (const [name, input] of Object.entries(services)) {
  const dir = join(target, name);
  await rm(dir, { recursive: true, force: true });
  const entries = Object.fromEntries(Object.entries(input).map(([entry, path]) => [entry, join(root, path)]));
  await using bundle = await rolldown({ input: entries, platform: 'node', logLevel: 'warn' });
  await bundle.write({ dir, format: 'esm', minify: true });
  if (name === 'coordinator') await addDashboard(join(dir, 'dashboard'));
  await writeFile(join(dir, 'package.json'), `${JSON.stringify({ type: 'module' })}\n`);
  process.stdout.write(`${dir}\n`);
}

/** The page that the coordinator serves: its committed bundle and its static files. */
async function addDashboard(target: string): Promise<void> {
  for (const part of ['static', 'dist'])
    await cp(join(root, 'dashboard', part), join(target, part), { recursive: true });
}
