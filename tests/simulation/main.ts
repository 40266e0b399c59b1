// `npm run simulate -- 17` tells the history of seed 17; `npm run simulate -- 0 200000` plays that many and names those that break a promise.
import { simulate } from './simulate.ts';

const [from = Number.NaN, count] = process.argv.slice(2).map(Number);
const say = (line: string) => void process.stdout.write(`${line}\n`);

if (!Number.isSafeInteger(from) || (count !== undefined && !Number.isSafeInteger(count))) {
  process.stderr.write('Say the seed of one history, or the first seed and how many: npm run simulate -- 0 200000\n');
  process.exitCode = 64;
} else if (count === undefined) {
  const { violation, simulatedMs } = simulate(from, {}, say);
  say(violation ?? `Every promise held for ${Math.round(simulatedMs / 1000)} s.`);
  process.exitCode = violation === undefined ? 0 : 1;
} else {
  const beganMs = performance.now();
  let broken = 0;
  for (let seed = from; seed < from + count; seed++) {
    const { violation } = simulate(seed);
    if (violation === undefined) continue;
    broken++;
    say(`npm run simulate -- ${seed}: ${violation}`);
  }
  say(`${count} histories, ${broken} broken, ${((performance.now() - beganMs) / count).toFixed(2)} ms each`);
  process.exitCode = broken === 0 ? 0 : 1;
}
