import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeScratchDirectory } from '../../../tests/stack/scratch-directory.ts';
import { proxiedEnvironment } from './environment.ts';
import type { runThroughProxy } from './run-through-proxy.ts';

const folder = await makeScratchDirectory('proxy');

/** Runs a script that starts itself once more: what it does after that call, and what it does then. */
async function run(env: Parameters<typeof runThroughProxy>[0], { after, again }: { after: string; again: string }) {
  const script = join(folder, 'script.mjs');
  const module = new URL('run-through-proxy.ts', import.meta.url).href;
  await writeFile(
    script,
    `import { runThroughProxy } from ${JSON.stringify(module)};
     if (process.env.NODE_USE_ENV_PROXY) { ${again} }
     else { const ending = runThroughProxy(${JSON.stringify(env)}); ${after}; process.exitCode = await ending; }`,
  );
  return await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [script], { env: {} }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

test.for(['10.0.0.1:3128', 'localhost:3128', 'proxy.example.com', 'http://10.0.0.1:3128'])(
  'Node starts with the proxy %s',
  async (https_proxy) => {
    const env = proxiedEnvironment({ https_proxy });
    if (env === null) throw new Error('no proxy was found');
    const again = 'console.log(process.env.https_proxy)';
    const ending = await run(env, { after: '', again });
    const proxy = https_proxy.includes('://') ? https_proxy : `http://${https_proxy}`;
    expect(ending).toMatchObject({ code: 0, stdout: `${proxy}\n` });
  },
);

test('Node that was told of the proxy is not started again', () => {
  expect(proxiedEnvironment({ https_proxy: 'proxy.example.com', NODE_USE_ENV_PROXY: '1' })).toBeNull();
  expect(proxiedEnvironment({ https_proxy: '' })).toBeNull();
});

test('a signal that comes before the process is there is for it too', async () => {
  // Left to itself the process would end well, late.
  const again = 'setTimeout(() => process.exit(0), 20_000)';
  expect(await run({ NODE_USE_ENV_PROXY: '1' }, { after: "process.emit('SIGINT')", again })).toMatchObject({ code: 1 });
});
