import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { runOwn as run, secret, turns } from './own-agent-story.fixture.ts';

describe('an agent that is a program', () => {
  const program = (body: string) => ({
    agent: {
      tools: [{ name: 'get_hours' }],
      driver: {
        type: 'command' as const,
        command: [
          process.execPath,
          '-e',
          `require('readline').createInterface({ input: process.stdin }).on('line', (line) => { const message = JSON.parse(line); ${body} })`,
        ],
      },
    },
  });

  test('answers lines of JSON', async () => {
    const outcome = await run(program('console.log(JSON.stringify({ output: "You asked: " + message.input }))'));
    expect(outcome).toMatchObject({ status: 'passed', response: 'You asked: When do you open?' });
  });

  test('sees no key in its environment', async () => {
    const outcome = await run(program('console.log(JSON.stringify({ output: JSON.stringify(process.env) }))'));
    expect(outcome.response).toContain('PATH');
    expect(outcome.response).not.toContain(secret);
  });

  test('of another user cannot read the environment of its runner, where the keys are', async () => {
    const reads = program(`let output;
      try { output = require('fs').readFileSync('/proc/' + process.ppid + '/environ', 'utf8') } catch (error) { output = error.code }
      console.log(JSON.stringify({ output: output + ' in ' + process.env.HOME }))`);
    const own = await run(reads);
    // Whoever runs the tests may be that user himself.
    const stranger = process.getuid?.() === 65_534 ? 65_533 : 65_534;
    const other = await run(reads, { userId: stranger });
    const isLinuxRoot = process.platform === 'linux' && process.getuid?.() === 0;
    // Only root can give a program away; whoever else tries starts nothing.
    expect(own.response).toMatch(process.platform === 'linux' ? /PATH=/ : /ENOENT/);
    if (isLinuxRoot) expect(other.response).toMatch(/^EACCES in .*proofmark-agent-/);
    else expect(other).toMatchObject({ status: 'error', errorMessage: expect.stringContaining('cannot be started') });
  });

  test.each([
    ['that ends', 'process.stderr.write("boom", () => process.exit(1))', 'ended without an answer'],
    ['that writes no JSON', 'console.log("hello")', 'not JSON: hello'],
  ])('%s is an error of the agent', async (_, body, message) => {
    expect(await run(program(body))).toMatchObject({
      status: 'error',
      errorKind: 'agent',
      errorMessage: expect.stringContaining(message),
    });
  });

  test('that says why it ends is heard to its last word, also when its answers end before', async () => {
    const late = `require('node:fs').closeSync(1); setTimeout(() => process.stderr.write('no key'), 50);`;
    expect(await run(program(late))).toMatchObject({
      ...{ status: 'error', errorKind: 'agent' },
      errorMessage: "The agent's program ended without an answer no key",
    });
  });

  test('that does not exist is an error of the agent', async () => {
    const outcome = await run({ agent: { driver: { type: 'command', command: ['./no-such-program'] } } });
    expect(outcome).toMatchObject({
      status: 'error',
      errorKind: 'agent',
      errorMessage: expect.stringContaining('cannot be started'),
    });
  });

  test('that gets no temporary folder is a fault of the runner, which says why', async () => {
    vi.stubEnv('TMPDIR', '/dev/null/none');
    try {
      expect(await run(program('console.log(JSON.stringify({ output: "Yes" }))'))).toMatchObject({
        ...{ status: 'error', errorKind: 'lost' },
        errorMessage: expect.stringContaining("mkdtemp '/dev/null/none/"),
      });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('that hangs is ended with its test run', async () => {
    const outcome = await run({
      ...program('process.stderr.write("")'),
      limits: { agentTimeoutMs: 50, caseTimeoutMs: 2_000 },
    });
    expect(outcome).toMatchObject({ status: 'error', errorKind: 'timeout' });
  });

  test('is refused where programs are not allowed', async () => {
    const outcome = await run(program(''), { programs: false });
    expect(outcome).toMatchObject({
      status: 'error',
      errorMessage: expect.stringContaining('run where their repository is, on your own machine or in the job'),
    });
  });

  test('keeps its memory from turn to turn, asks for tools by lines, and is gone with its test run', async () => {
    const outcome = await run({
      ...program(`
        globalThis.turns ??= 0;
        const say = (answer) => console.log(JSON.stringify(answer));
        if (message.tool_results) say({ output: process.pid + " " + globalThis.turns + " " + message.tool_results[0].result });
        else if (++globalThis.turns) say({ tool_requests: [{ id: "t", name: "get_hours" }] });`),
      ...turns(3),
      mocks: [{ tool: 'get_hours', returns: '9-17', times: 'always' }],
    });
    const [pid, turn, hours] = outcome.response?.split(' ') ?? [];
    expect({ status: outcome.status, turn, hours, calls: outcome.toolCalls.length }).toEqual({
      ...{ status: 'passed', turn: '3', hours: '9-17', calls: 3 },
    });
    expect(isAlive(Number(pid))).toBe(false);
  });

  test('is killed with all that it started when it does not heed SIGTERM (M13)', async () => {
    const outcome = await run(
      program(`
        process.on("SIGTERM", () => {});
        const child = require("child_process").spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"]);
        console.log(JSON.stringify({ output: process.pid + " " + child.pid }));
        setInterval(() => {}, 1000);`),
      { graceMs: 50 },
    );
    const started = (outcome.response ?? '').split(' ').map(Number);
    expect(started).toHaveLength(2);
    await expectEnded(started);
  });

  test('is killed with what has left its process group, and what that has started, where the system shows who they are', async () => {
    const outcome = await run(
      program(`
        const { spawn } = require("child_process");
        const stay = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
        const leave = (code, stdio) => spawn(process.execPath, ["-e", code], { detached: true, stdio });
        const second = "const child = require('child_process').spawn(process.execPath, ['-e', " + JSON.stringify(stay) + "], { detached: true, stdio: 'ignore' }); child.unref(); console.log(child.pid)";
        const gone = leave(second, ["ignore", "pipe", "ignore"]);
        gone.stdout.on("data", (pid) => console.log(JSON.stringify({ output: leave(stay, "ignore").pid + " " + String(pid).trim() })));`),
      { graceMs: 50 },
    );
    const started = (outcome.response ?? '').split(' ').map(Number);
    expect(started).toHaveLength(2);
    // Elsewhere nothing shows the environment of a process.
    if (process.platform === 'linux') await expectEnded(started);
    else killAll(started);
  });

  test('is killed with what has emptied its environment as well, and what that has started', async () => {
    const outcome = await run(
      program(`
        const { spawn } = require("child_process");
        const stay = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
        const hide = "const hidden = require('child_process').spawn(process.execPath, ['-e', " + JSON.stringify(stay) + "], { detached: true, stdio: 'ignore', env: {} }); console.log(hidden.pid); " + stay;
        const child = spawn(process.execPath, ["-e", hide], { detached: true, stdio: ["ignore", "pipe", "ignore"], env: {} });
        child.stdout.on("data", (pid) => console.log(JSON.stringify({ output: child.pid + " " + String(pid).trim() })));`),
      { graceMs: 50 },
    );
    const started = (outcome.response ?? '').split(' ').map(Number);
    expect(started).toHaveLength(2);
    // Elsewhere nothing shows who started a process.
    if (process.platform === 'linux') await expectEnded(started);
    else killAll(started);
  });

  test('of another user is killed also with what has emptied its environment and has lost who started it', async () => {
    const leaves = program(`
      const { spawnSync } = require("child_process");
      const stay = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
      const leave = "const child = require('child_process').spawn(process.execPath, ['-e', " + JSON.stringify(stay) + "], { detached: true, stdio: 'ignore', env: {} }); child.unref(); console.log(child.pid)";
      const { stdout } = spawnSync(process.execPath, ["-e", leave]);
      console.log(JSON.stringify({ output: String(stdout).trim() }));`);
    const isLinuxRoot = process.platform === 'linux' && process.getuid?.() === 0;
    const outcome = await run(leaves, isLinuxRoot ? { graceMs: 50, userId: 65_534 } : { graceMs: 50 });
    const left = [Number(outcome.response)];
    // Only root can give it a group that it cannot leave: without one, what hides is not found.
    if (isLinuxRoot) await expectEnded(left);
    else expect(left.filter(isAlive)).toEqual(left);
    killAll(left);
  });

  test('has a temporary folder of its own, which is gone with it', async () => {
    const { response } = await run(
      program(
        'require("fs").writeFileSync(process.env.TMPDIR + "/x", "x"); console.log(JSON.stringify({ output: process.env.TMPDIR }))',
      ),
    );
    expect(response).toContain('proofmark-agent-');
    expect(existsSync(response ?? '')).toBe(false);
  });

  test('whose line never ends is refused as too large, before the memory is full', async () => {
    const outcome = await run(
      program(
        'const x = "x".repeat(65536); const write = () => { while (process.stdout.write(x)); process.stdout.once("drain", write); }; write();',
      ),
    );
    expect(outcome).toMatchObject({ status: 'error', errorKind: 'limit', retryCount: 0 });
    expect(outcome.errorMessage).toBe('response too large: more than 8 MB');
  });

  test('may write as much as it likes to its log', async () => {
    const outcome = await run(
      program('process.stderr.write("x".repeat(10_000_000), () => console.log(JSON.stringify({ output: "done" })))'),
    );
    expect(outcome).toMatchObject({ status: 'passed', response: 'done' });
  });

  test('is not asked again once its memory is lost', async () => {
    const outcome = await run({
      ...program('if (message.turn === 0) console.log(JSON.stringify({ output: "Yes?" }))'),
      ...turns(3),
      limits: { agentTimeoutMs: 2_000 },
    });
    expect(outcome).toMatchObject({ status: 'error', errorKind: 'agent' });
    expect(outcome.errorMessage).toContain('was ended after a failed try, and its memory with it');
  });

  test('is started anew for another try of its first turn', async () => {
    const marker = join(tmpdir(), `proofmark-started-${randomUUID()}`);
    const once = `const fs = require("fs"); if (fs.existsSync(${JSON.stringify(marker)})) console.log(JSON.stringify({ output: "Again" })); else fs.writeFileSync(${JSON.stringify(marker)}, "x");`;
    try {
      const outcome = await run({ ...program(once), limits: { agentTimeoutMs: 3_000 } });
      expect(outcome).toMatchObject({ status: 'passed', response: 'Again' });
      expect(outcome.retryCount).toBeGreaterThan(0);
    } finally {
      rmSync(marker, { force: true });
    }
  });
});

/** A process that has ended and that nobody has taken notice of yet is not alive. */
/** What is killed takes a moment to be gone. */
async function expectEnded(pids: readonly number[]): Promise<void> {
  try {
    await expect.poll(() => pids.filter(isAlive), { timeout: 10_000 }).toEqual([]);
  } finally {
    killAll(pids);
  }
}

function killAll(pids: readonly number[]): void {
  for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    // No such process; without /proc nobody can say more than that there is one.
    return existsSync('/proc') === false && !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
