import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { startProcess } from './processes.ts';

const entry = 'tests/stack/fixtures/service-environment.ts';
const line = z.object({ url: z.string() });

it('gives the ready line, only the named environment, and a log with the name before each line', async () => {
  const logFile = join(tmpdir(), `proofmark-log-${process.pid}.txt`);
  const service = await startProcess({ name: 'small', entry, env: { GREETING: 'hello' }, ready: { line }, logFile });
  const seen = await (await fetch(service.ready.url)).json();
  expect(seen).toMatchObject({ GREETING: 'hello' });
  expect(seen).not.toHaveProperty('VITEST');

  await service.stop();
  expect(await service.exited).toEqual({ code: 0, signal: null });
  expect(service.log()).toContain('stopping');
  expect(await readFile(logFile, 'utf8')).toMatch(/^small \{"url":/);
  await rm(logFile);
});

it('keeps Ctrl-C in the terminal away from what it started, which is stopped in order', async () => {
  await using service = await startProcess({ name: 'small', entry, ready: { line } });
  // Only the leader of a process group can be called by the id of the group.
  expect(() => process.kill(-service.pid, 0)).not.toThrow();
});

it('kills a process that does not stop in time', async () => {
  const service = await startProcess({ name: 'stubborn', entry, env: { STUBBORN: '1' }, ready: { line } });
  await service.stop(50);
  expect(await service.exited).toEqual({ code: null, signal: 'SIGKILL' });
});

it('rejects with the log of a process that ends before it is ready', async () => {
  const starting = startProcess({ name: 'broken', entry, env: { BROKEN: '1' }, ready: { line } });
  await expect(starting).rejects.toThrow(/broken ended \(3\) before it was ready:\nPORT is not a number/);
});

it('waits until a URL answers with 200', async () => {
  const first = await startProcess({ name: 'first', entry, ready: { line } });
  await using second = await startProcess({ name: 'second', entry, ready: { url: first.ready.url } });
  expect(second.ready).toBeUndefined();
  await first.stop();
});
