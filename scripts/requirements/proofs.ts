import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const idPattern = /\b(?:S[0-4]|D)-\d{2,3}\b|\bC\d{2}\b/g;
/** `S1-28…S1-30`, `S1-28…30` and the same with a dash. */
const rangePattern = /\b(S[0-4]-|D-|C)(\d{2,3})\s*(?:…|–)\s*(?:S[0-4]-|D-|C)?(\d{2,3})\b/g;
/** A row of a table of tests that begins with the rules that it proves. */
const rowPattern = /\[\s*'((?:S[0-4]-\d{2,3}|D-\d{2}|C\d{2}) [^'\n]*)'/g;
const titlePattern =
  /\b(?:it|test|describe)(?:\.\w+)*\s*(?:\(\s*\[[\s\S]*?\](?:\s*as const)?\s*\)|\([^'"`)]*\))?\s*\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g;

/** A test that names a rule in its title. */
export interface Claim {
  id: string;
  path: string;
  title: string;
  /** From the title of a test to the next one, or all that follows the title of a group. */
  body: string;
}

/** Every rule that the title of a test names, ranges filled in. */
export function claimedRules(root: string): Claim[] {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'], {
    cwd: root,
    encoding: 'utf8',
  });
  return files
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(root, path)))
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8');
      const titles = [...text.matchAll(titlePattern)];
      const rows = [...text.matchAll(rowPattern)].flatMap(({ 1: title = '' }) =>
        [...idsIn(title)].map((id) => ({ id, path, title, body: text })),
      );
      const tests = titles.flatMap((match, index) => {
        const title = match[2] ?? '';
        const end = match[0].startsWith('describe') ? undefined : titles[index + 1]?.index;
        const body = text.slice(match.index + match[0].length, end);
        return [...idsIn(title)].map((id) => ({ id, path, title, body }));
      });
      return [...tests, ...rows];
    });
}

/** A path, or a path and the name of a vector in it: `tests/vectors/checks.json#mode any with true,false`. */
export function isThere(root: string, proof: string): boolean {
  const at = proof.indexOf('#');
  const path = join(root, at < 0 ? proof : proof.slice(0, at));
  if (!existsSync(path)) return false;
  return at < 0 || readFileSync(path, 'utf8').includes(`"name": ${JSON.stringify(proof.slice(at + 1))}`);
}

function idsIn(title: string): Set<string> {
  const ids = new Set(title.match(idPattern) ?? []);
  for (const [, prefix = '', from = '', to = ''] of title.matchAll(rangePattern)) {
    for (let number = Number(from); number <= Number(to); number += 1)
      ids.add(`${prefix}${String(number).padStart(2, '0')}`);
  }
  return ids;
}
