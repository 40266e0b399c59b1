import { rename, rm } from 'node:fs/promises';
import { openResultLog } from './result-files.ts';
import { lineWriter, type ResultLine } from './result-line.ts';

/**
 * Writes results that were made elsewhere to a results file like that of a run in this process; how many they were. What
 * several have in common is written once. Whoever throws on the way leaves no file.
 */
export async function writeResults(path: string, results: AsyncIterable<ResultLine>): Promise<number> {
  const part = `${path}.part`;
  await rm(part, { force: true });
  try {
    const count = await writeLines(part, results);
    if (count > 0) await rename(part, path);
    return count;
  } finally {
    await rm(part, { force: true });
  }
}

async function writeLines(path: string, results: AsyncIterable<ResultLine>): Promise<number> {
  await using log = await openResultLog(path);
  const [write, share] = [lineWriter(), sharedValues()];
  let count = 0;
  for await (const result of results) {
    const { parts, line } = write(share(result));
    await log.append(line, parts);
    count += 1;
  }
  return count;
}

/** Equal parts as one object: by that the writer of lines knows them again. */
function sharedValues(): (result: ResultLine) => ResultLine {
  const known = new Map<string, object>();
  const one = <Value extends object>(value: Value): Value => {
    const text = JSON.stringify(value);
    // Whatever was kept under this text had the same shape.
    const found = known.get(text) as Value | undefined;
    if (found === undefined) known.set(text, value);
    return found ?? value;
  };
  return (result) => {
    if (result.work === null) return result;
    const { agent, model, instrument, resolvedVariables, limits, ...own } = result.work;
    const shared = { agent: one(agent), instrument: one(instrument), resolvedVariables: one(resolvedVariables) };
    const work = { ...own, ...shared, limits: one(limits), model: model === null ? null : one(model) };
    return { ...result, work };
  };
}
