// The demo with --keep, as somebody uses it: its link opens the run signed in, once, and Ctrl-C ends everything well.
import { z } from 'zod';
import { inheritedEnvironment } from '../stack/environment.ts';
import { spawnOwned } from '../stack/owned-process.ts';
import { repositoryRoot } from '../stack/processes.ts';

const demo = await spawnOwned(process.execPath, ['tests/demo/main.ts', '--keep', ...process.argv.slice(2)], {
  cwd: repositoryRoot,
  env: inheritedEnvironment(),
  onLine: (line) => void process.stdout.write(`${line}\n`),
});
try {
  if (!(await demo.wrote('Ctrl-C stops it', 600_000))) throw new Error('The demo ended before it told its link');
  await demo.wrote('GraphQL      ');
  await openLink(/^ +page +(\S+)/m.exec(demo.log())?.[1] ?? '');
} finally {
  const { code, signal } = await demo.stop({ signal: 'SIGINT', graceMs: 60_000 });
  if (code !== 0) {
    process.stdout.write(`The demo ended with ${signal ?? code}.\n`);
    process.exitCode = 1;
  }
}

/** As a browser does: follows the link with its cookie, and asks who is signed in. */
async function openLink(link: string): Promise<void> {
  const followed = await fetch(link, { redirect: 'manual' });
  const to = new URL(followed.headers.get('location') ?? '', link);
  const cookie = followed.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const page = await fetch(to, { headers: { cookie } });
  const session = await fetch(new URL('/session', link), { headers: { cookie } });
  const { viewer } = z.object({ viewer: z.object({ login: z.string() }).nullable() }).parse(await session.json());
  const again = await fetch(link, { redirect: 'manual' });
  const seen = [
    followed.status,
    /^\/runs\/[0-9a-f-]{36}$/.test(to.pathname),
    page.status,
    viewer !== null,
    again.status,
  ];
  if (JSON.stringify(seen) !== JSON.stringify([303, true, 200, true, 403]))
    throw new Error(`The link of the demo does not open its run signed in: ${JSON.stringify(seen)}`);
  process.stdout.write(`\nThe link opens ${to.pathname} as ${viewer?.login}, once.\n`);
}
