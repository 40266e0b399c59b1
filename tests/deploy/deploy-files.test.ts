import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { coordinatorVariables as coordinator } from '../../coordinator/src/environment.ts';
import { runnerVariables as runner } from '../../runner-agent/src/environment.ts';
import { repositoryRoot } from '../stack/processes.ts';

const deploy = join(repositoryRoot, 'deploy');
const read = (path: string) => readFile(join(repositoryRoot, path), 'utf8');

const Compose = z.looseObject({
  services: z.record(
    z.string(),
    z.looseObject({
      environment: z.record(z.string(), z.string()).default({}),
      build: z.looseObject({ context: z.string(), dockerfile: z.string(), target: z.string() }).optional(),
      volumes: z.array(z.string()).default([]),
      depends_on: z.record(z.string(), z.unknown()).default({}),
    }),
  ),
  volumes: z.record(z.string(), z.unknown()),
});

const compose = Compose.parse(parse(await read('deploy/compose.yaml')));
const containerfile = await read('deploy/Containerfile');

describe('compose.yaml', () => {
  it.each([
    ['migrate', coordinator],
    ['coordinator', coordinator],
    ['runner', runner],
  ])('sets for the %s only variables that it reads', (service, { shape }) => {
    const given = Object.keys(compose.services[service]?.environment ?? {});
    expect(given.length).toBeGreaterThan(2);
    expect(given.filter((name) => !(name in shape))).toEqual([]);
  });

  it('gives model keys to runners only, and the database to the coordinator only', () => {
    const names = (service: string) => Object.keys(compose.services[service]?.environment ?? {}).join(' ');
    expect(names('coordinator')).not.toMatch(/OPENAI/);
    expect(names('runner')).not.toMatch(/DATABASE|GITHUB/);
  });

  it('gives the login of the administrator to what migrates and ends, and to nothing that serves', () => {
    const holders = Object.entries(compose.services).filter(([, { environment }]) =>
      Object.entries(environment).some(
        ([name, value]) => name === 'DATABASE_URL' || value.includes('proofmark_admin:'),
      ),
    );
    expect(holders.map(([name]) => name)).toEqual(['migrate']);
    expect(compose.services.coordinator?.depends_on).toMatchObject({
      migrate: { condition: 'service_completed_successfully' },
    });
  });

  const services = Object.values(compose.services);
  const mounts = services.flatMap((one) => one.volumes).map((volume) => volume.split(':')[0] ?? '');

  it('mounts only what exists', () => {
    const files = mounts.filter((source) => source.startsWith('./'));
    expect(files).not.toEqual([]);
    expect(files.filter((file) => !existsSync(join(deploy, file)))).toEqual([]);
    const named = mounts.filter((source) => !source.startsWith('./'));
    expect(named.toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
  });

  it('builds only stages of the container file, and waits only for services that it has', () => {
    const builds = services.flatMap(({ build }) => build ?? []);
    expect(builds).toHaveLength(3);
    expect(builds.filter((build) => !existsSync(join(deploy, build.context, build.dockerfile)))).toEqual([]);
    expect(builds.filter((build) => !containerfile.includes(` AS ${build.target}\n`))).toEqual([]);
    const awaited = services.flatMap((one) => Object.keys(one.depends_on));
    expect(awaited.filter((name) => compose.services[name] === undefined)).toEqual([]);
  });
});

describe('Containerfile', () => {
  it('copies only what exists, and every package of the workspace', async () => {
    const copies = containerfile.matchAll(/^COPY (?!--from)(.+)$/gm);
    const sources = Array.from(copies, ([, words = '']) => words.split(' ').slice(0, -1)).flat();
    for (const source of sources) expect(existsSync(join(repositoryRoot, source)), source).toBe(true);
    const { packages } = z
      .looseObject({ packages: z.array(z.string()) })
      .parse(parse(await read('pnpm-workspace.yaml')));
    const isCopied = (name: string) => sources.some((source) => source === name || source.startsWith(`${name}/`));
    expect(packages.filter((name) => name !== '.' && !isCopied(name))).toEqual([]);
  });

  it('asks for health on a path that the services answer', () => {
    expect(containerfile).toContain("'/healthz'");
  });
});

describe('backup.sh', () => {
  const script = join(deploy, 'backup.sh');
  /** Stands in for the programs of Postgres: what is tried here is what is kept and what is thrown away. */
  const dump = (isGood: boolean) =>
    `#!/bin/sh\nwhile [ "$#" -gt 1 ]; do shift; done\necho dump > "$1"\n${isGood ? '' : 'exit 1\n'}`;

  async function backUp(folder: string, isGood: boolean) {
    const programs = join(folder, 'bin');
    await mkdir(programs, { recursive: true });
    for (const name of ['pg_dump', 'pg_dumpall']) {
      await writeFile(join(programs, name), dump(isGood || name === 'pg_dumpall'));
      await chmod(join(programs, name), 0o755);
    }
    const backups = join(folder, 'backups');
    await mkdir(backups, { recursive: true });
    const { status } = spawnSync('bash', [script, 'once'], {
      env: { PATH: `${programs}:${process.env.PATH}`, BACKUP_FOLDER: backups, BACKUP_KEEP: '2' },
    });
    return { status, left: (await readdir(backups)).toSorted() };
  }

  it('keeps the newest dumps, and neither leaves a half one nor removes another one for it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'proofmark-backup-'));
    try {
      for (const old of ['20200101T000000Z', '20200102T000000Z', 'notes'])
        await mkdir(join(folder, 'backups', old), { recursive: true });
      const failed = await backUp(folder, false);
      expect(failed).toEqual({ status: 1, left: ['20200101T000000Z', '20200102T000000Z', 'notes'] });
      const { status, left } = await backUp(folder, true);
      expect(status).toBe(0);
      expect(left).toEqual(['20200102T000000Z', expect.stringMatching(/^20\d{6}T\d{6}Z$/), 'notes']);
      expect(await readdir(join(folder, 'backups', left[1] ?? ''))).toEqual(['ledger.dump', 'roles.sql']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
