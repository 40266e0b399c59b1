// The scripted model as a process of its own: prints {"url":"…"} and serves until it is ended.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { Rule } from './model/rules.ts';
import { supportDeskRules } from './model/support-desk.ts';
import { startModelServer } from './model-server.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'delay-ms': { type: 'string', default: '0' },
    /** A JSON file with rules; without it the model of the support desk. */
    rules: { type: 'string' },
  },
});
const rules =
  values.rules === undefined ? supportDeskRules : z.array(Rule).parse(JSON.parse(await readFile(values.rules, 'utf8')));
const server = await startModelServer({ rules, port: Number(values.port), delayMs: Number(values['delay-ms']) });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.stop());
process.stdout.write(`${JSON.stringify({ url: server.url })}\n`);
