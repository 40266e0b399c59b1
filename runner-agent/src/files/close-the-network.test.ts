import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { serveFiles } from './file-server.fixture.ts';

test('a process that closed its network reaches nothing any more, by no door (F3)', async () => {
  await using server = await serveFiles({ '/': 'secret' });
  const module = new URL('./close-the-network.ts', import.meta.url).href;
  const program = `
    import { get } from 'node:http';
    import { connect } from 'node:net';
    import { createSocket } from 'node:dgram';
    import { lookup } from 'node:dns';
    const { closeTheNetwork } = await import(${JSON.stringify(module)});
    closeTheNetwork();
    const url = ${JSON.stringify(server.origin)};
    const doors = [
      () => fetch(url),
      () => new Promise((done, fail) => get(url, done).on('error', fail)),
      () => connect(Number(new URL(url).port), '127.0.0.1'),
      () => createSocket('udp4').send('x', 9, '127.0.0.1'),
    ];
    for (const door of doors) {
      try { await door(); console.log('open'); } catch (error) { console.log(error.message); }
    }
    process.exit(0);`;

  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);

  expect(stdout.trim().split('\n')).toEqual(Array.from({ length: 4 }, () => 'This process has no network'));
  expect(server.seen).toEqual([]);
});
