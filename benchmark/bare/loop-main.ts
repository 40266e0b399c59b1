// The yardstick: what any program has to do for the same cases. A request, a string check, one JSON line per case.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { z } from 'zod';

const [origin = '', folder = '', cases = '', concurrency = ''] = process.argv.slice(2);
const total = Number(cases);
const pool = new Pool(origin, { connections: Number(concurrency) });
const lines = createWriteStream(join(folder, 'yardstick.jsonl'));
const Completion = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string() }) })),
});
let next = 0;

async function worker(): Promise<void> {
  while (next < total) {
    const number = next;
    next += 1;
    const body = JSON.stringify({
      model: 'bare-model',
      messages: [
        { role: 'system', content: 'You answer questions of customers of a small shop.' },
        { role: 'user', content: `When are you open on day ${number}?` },
      ],
    });
    const headers = { 'content-type': 'application/json' };
    const answered = await pool.request({ method: 'POST', path: '/v1/chat/completions', headers, body });
    const json: unknown = await answered.body.json();
    const text = read(json);
    lines.write(`${JSON.stringify({ case: `Case ${number}`, passed: text.includes('17'), answer: text })}\n`);
  }
}

/** Only the last answer is looked at in full: a yardstick trusts what it measures with. */
function read(json: unknown): string {
  return next === total ? (Completion.parse(json).choices[0]?.message.content ?? '') : contentOf(json);
}

function contentOf(json: unknown): string {
  const { choices } = json as { choices: [{ message: { content: string } }] }; // the model next door is ours
  return choices[0].message.content;
}

const start = performance.now();
await Promise.all(Array.from({ length: Number(concurrency) }, worker));
lines.end();
await once(lines, 'finish');
const seconds = (performance.now() - start) / 1000;
await pool.close();
process.stdout.write(
  `${JSON.stringify({ rate: total / seconds, cpuMs: process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000 })}\n`,
);
