import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GeneratedFile } from '../generated-file.ts';

interface Rule {
  id: string;
  section: string;
  rule: string;
}

const idPattern = /\b(?:S[0-4]|D)-\d{2,3}\b|\bC\d{2}\b/g;
/** `S1-28…S1-30`, `S1-28…30` and the same with a dash. */
const rangePattern = /\b(S[0-4]-|D-|C)(\d{2,3})\s*(?:…|–)\s*(?:S[0-4]-|D-|C)?(\d{2,3})\b/g;
const titlePattern =
  /\b(?:it|test|describe)(?:\.\w+)*\s*(?:\(\s*\[[\s\S]*?\](?:\s*as const)?\s*\)|\([^'"`)]*\))?\s*\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g;

/** The map from each rule to the tests whose titles name it, and to what else proves it. Nothing is listed by memory. */
export function requirementFiles(root: string): GeneratedFile[] {
  const rules: Rule[] = readJson(root, 'docs/requirements/rules.json');
  const evidence: Record<string, string[]> = readJson(root, 'docs/requirements/evidence.json');
  const proofs = testsByRule(root);
  const known = new Set(rules.map(({ id }) => id));
  for (const [id, paths] of Object.entries(evidence)) {
    if (!known.has(id)) throw new Error(`docs/requirements/evidence.json names ${id}, which is no rule`);
    const missing = paths.filter((path) => !isThere(root, path));
    if (missing.length > 0)
      throw new Error(`docs/requirements/evidence.json: ${id} names what does not exist: ${missing.join(', ')}`);
    for (const path of paths) add(proofs, id, path);
  }
  return [{ path: 'docs/requirements.md', content: render(rules, proofs) }];
}

/** A path, or a path and the name of a vector in it: `tests/vectors/checks.json#mode any with true,false`. */
function isThere(root: string, proof: string): boolean {
  const [path, vector] = splitProof(proof);
  if (!existsSync(join(root, path))) return false;
  return vector === undefined || readFileSync(join(root, path), 'utf8').includes(`"name": ${JSON.stringify(vector)}`);
}

function splitProof(proof: string): [path: string, vector?: string] {
  const at = proof.indexOf('#');
  return at < 0 ? [proof] : [proof.slice(0, at), proof.slice(at + 1)];
}

function render(rules: readonly Rule[], proofs: ReadonlyMap<string, ReadonlySet<string>>): string {
  const proven = rules.filter(({ id }) => proofs.has(id)).length;
  const sections = [...Map.groupBy(rules, ({ section }) => section)];
  return [
    '# Requirements and what proves them',
    '',
    'Generated from `docs/requirements/` and from the titles of the tests: a test proves the rules that its title names.',
    `Of ${rules.length} rules ${proven} have a proof; a rule without one is either not built yet or not yet tied to its test.`,
    '',
    ...sections.flatMap(([section, own]) => [
      `## ${section}`,
      '',
      '| rule | says | proven by |',
      '|---|---|---|',
      ...own.map((rule) => row(rule, proofs.get(rule.id))),
      '',
    ]),
  ].join('\n');
}

function row({ id, rule }: Rule, paths: ReadonlySet<string> | undefined): string {
  const links = [...(paths ?? [])].toSorted().map(link);
  return `| ${id} | ${rule.replaceAll('|', '\\|')} | ${links.length === 0 ? 'open' : links.join('<br>')} |`;
}

function link(proof: string): string {
  const [path, vector] = splitProof(proof);
  const name = vector === undefined ? '' : ` “${vector.replaceAll('|', '\\|')}”`;
  return `[${path}](../${path})${name}`;
}

function testsByRule(root: string): Map<string, Set<string>> {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'], {
    cwd: root,
  });
  const proofs = new Map<string, Set<string>>();
  for (const path of files
    .toString()
    .split('\n')
    .filter((line) => line !== '' && existsSync(join(root, line)))) {
    const text = readFileSync(join(root, path), 'utf8');
    for (const [, , title = ''] of text.matchAll(titlePattern)) {
      for (const id of idsIn(title)) add(proofs, id, path);
    }
  }
  return proofs;
}

/** Every rule that a title names, ranges filled in. */
function idsIn(title: string): Set<string> {
  const ids = new Set(title.match(idPattern) ?? []);
  for (const [, prefix = '', from = '', to = ''] of title.matchAll(rangePattern)) {
    for (let number = Number(from); number <= Number(to); number += 1)
      ids.add(`${prefix}${String(number).padStart(2, '0')}`);
  }
  return ids;
}

function add(proofs: Map<string, Set<string>>, id: string, path: string): void {
  const paths = proofs.get(id) ?? new Set<string>();
  proofs.set(id, paths.add(path));
}

function readJson<Shape>(root: string, path: string): Shape {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}
