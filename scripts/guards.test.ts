import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

/** Files that break what ARCHITECTURE.md says always holds, by the number of the invariant. */
const violations: Readonly<Record<string, string>> = {
  'domain/src/plan/1-reads-a-file.ts':
    "import { readFileSync } from 'node:fs';\nexport const text = readFileSync('x');",
  'contracts/src/parse/1-reads-a-file.ts':
    "import { readFileSync } from 'node:fs';\nexport const text = readFileSync('x');",
  'domain/src/plan/1-asks-the-network.ts': "export const answer = await fetch('http://localhost');",
  'domain/src/plan/1-has-a-timer.ts': 'setTimeout(() => undefined, 5);',
  'domain/src/plan/1-has-a-clock.ts': 'export const today = new Date();',
  'domain/src/plan/1-has-dice.ts': 'export const id = crypto.randomUUID();',
  'coordinator/src/2-calls-a-model.ts': "import OpenAI from 'openai';\nexport const model = new OpenAI();",
  'coordinator/src/dispatch/2-calls-a-model.ts': "import OpenAI from 'openai';\nexport const model = new OpenAI();",
  'runner-agent/src/2-sees-postgres.ts': "import pg from 'pg';\nexport const pool = new pg.Pool();",
  'runner-agent/src/consume/2-sees-postgres.ts': "import pg from 'pg';\nexport const pool = new pg.Pool();",
  'coordinator/src/start/3-knows-nats.ts':
    "import { connect } from '@nats-io/transport-node';\nexport const open = connect;",
  'coordinator/src/start/3-connects-to-nats.ts':
    "import { openConnection } from '@proofmark/process/open-connection';\nexport const open = openConnection;",
  'process/src/3-knows-nats.ts': "import { connect } from '@nats-io/transport-node';\nexport const open = connect;",
  'coordinator/src/feedback/3-knows-nats.ts':
    "import { connect } from '@nats-io/transport-node';\nexport const open = connect;",
  'coordinator/src/dispatch/3-knows-github.ts':
    "import { Octokit } from '@octokit/core';\nexport const github = Octokit;",
  'runner-agent/src/3-reads-the-environment.ts': 'export const home = process.env.HOME;',
  'runner-agent/src/3-imports-the-environment.ts': "import { env } from 'node:process';\nexport const home = env.HOME;",
  'runner-agent/src/3-takes-the-environment.ts': 'const { env } = process;\nexport const home = env.HOME;',
  'domain/src/plan/imports-the-coordinator.ts':
    "import { start } from '@proofmark/coordinator/start';\nexport const run = start;",
  'contracts/src/parse/imports-process-code.ts':
    "import { flag } from '@proofmark/process/variable-kinds';\nexport const isSet = flag;",
  'domain/src/plan/imports-process-code.ts':
    "import { flag } from '@proofmark/process/variable-kinds';\nexport const isSet = flag;",
  'process/src/imports-a-runner.ts':
    "import { runCase } from '@proofmark/runner-agent/run-case';\nexport const run = runCase;",
  'runner-agent/src/imports-the-coordinator.ts':
    "import { connect } from '../../coordinator/src/database/connect.ts';\nexport const open = connect;",
  'coordinator/src/start/imports-a-runner.ts':
    "import { runCase } from '../../../runner-agent/src/run-case/run-case.ts';\nexport const run = runCase;",
  'dashboard/src/imports-domain.ts':
    "import { planRun } from '@proofmark/domain/plan-run';\nexport const plan = planRun;",
  'dashboard/src/reads-text-as-markup.ts': 'document.body.innerHTML = location.hash;',
  'client/src/imports-domain.ts': "import { planRun } from '@proofmark/domain/plan-run';\nexport const plan = planRun;",
  'cli/src/imports-a-runner.ts':
    "import { runCase } from '@proofmark/runner-agent/run-case';\nexport const run = runCase;",
  'contracts/src/review/loads-definitions.ts':
    "import { loadDefinitions } from '../load/load-definitions.ts';\nexport const load = loadDefinitions;",
  'runner-agent/src/checks/asks-a-judge.ts':
    "import { judgeOutcomes } from '../judge/judge-outcomes.ts';\nexport const judge = judgeOutcomes;",
  'coordinator/src/ledger/starts-a-run.ts':
    "import { startRun } from '../start/start-run.ts';\nexport const start = startRun;",
  'coordinator/src/database/reads-the-environment.ts':
    "import type { Environment } from '../environment.ts';\nexport type Read = Environment;",
  'coordinator/src/attic/has-no-place.ts': 'export const box = 1;',
  'domain/src/plan/exports-a-word.ts': 'export const anyWord = 1;',
  'coordinator/src/ledger/exports-the-same-word.ts': 'export function anyWord(): void {}',
  'domain/src/plan/is-called-alike.ts': 'export const oneIdea = 1;',
  'coordinator/src/ledger/is-called-alike.ts': 'export const anotherIdea = 1;',
  'domain/src/plan/links-to-no-page.ts': '/** As they say (docs/nowhere.md). */\nexport const link = 1;',
  'domain/src/plan/cites-a-paper.ts': '/** As in statistics, section 5. */\nexport const cite = 1;',
  'domain/src/plan/is-too-long.ts': 'export {};\n'.repeat(451),
  'domain/src/plan/is-too-long.test.ts': 'export {};\n'.repeat(451),
  'tests/flows/is-too-long.ts': 'export {};\n'.repeat(451),
};

const harmless = 'domain/src/plan/adds.ts';

/** A repository with nothing but the rules of this one and these files. */
function repositoryOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'proofmark-guards-'));
  const manifests = execFileSync('git', ['ls-files', 'biome.json', 'package.json', '*/package.json'], { cwd: root });
  for (const path of manifests.toString().trim().split('\n')) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(root, path), join(folder, path));
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${text}\n`);
  }
  execFileSync('git', ['init', '-q'], { cwd: folder });
  return folder;
}

/** Which of the files the linter or the smells complain of. */
function accused(files: Readonly<Record<string, string>>): string[] {
  const folder = repositoryOf(files);
  try {
    const lint = spawnSync(
      join(root, 'node_modules/.bin/biome'),
      ['lint', '--only=noRestrictedImports', '--only=noUndeclaredDependencies', '--max-diagnostics=none', '.'],
      { cwd: folder, encoding: 'utf8' },
    );
    const smells = spawnSync(process.execPath, [join(root, 'scripts/smells.ts'), folder], { encoding: 'utf8' });
    const said = `${lint.stdout}${lint.stderr}${smells.stdout}`;
    return Object.keys(files).filter((path) => said.includes(`${path}:`) || said.includes(`${path}, `));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('every violation of an invariant is found, and a file that breaks none is not', () => {
  const found = accused({ ...violations, [harmless]: 'export const add = (a: number, b: number): number => a + b;' });
  expect(found.toSorted()).toEqual(Object.keys(violations).toSorted());
});

test('a door that no other package opens is named, and one that a package opens is not', () => {
  const folder = repositoryOf({
    'cli/src/plans.ts': "import { planRun } from '@proofmark/domain/plan-run';\nexport const plan = planRun;",
  });
  try {
    const { stdout } = spawnSync(process.execPath, [join(root, 'scripts/smells.ts'), folder], { encoding: 'utf8' });
    const named = stdout.match(/nobody but tests opens @proofmark\/domain\/[\w/-]+/g) ?? [];
    expect(named).toContain('nobody but tests opens @proofmark/domain/lifecycle');
    expect(named).not.toContain('nobody but tests opens @proofmark/domain/plan-run');
    expect(named).not.toContain('nobody but tests opens @proofmark/domain/vectors');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
