import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { published } from '../../contracts/src/identity/published-names.ts';
import type { GeneratedFile } from '../generated-file.ts';

const { repository, imageRegistry, actionVersion } = published;

/** How pages, workflows and manifests say where the project is published, whatever stands there at the moment. */
const places: readonly [said: RegExp, instead: string][] = [
  [/(?<![\w.@/-])[\w.-]+\/proofmark\/action@(?=<|[0-9a-f]{40})/g, `${repository}/action@`],
  [/(?<![\w.@/-])(?!\.{1,2}\/)[\w.-]+\/proofmark\/action@v\d+/g, `${repository}/action@${actionVersion}`],
  [/(?<=github\.com[/:])(?!apps\/)[\w.-]+\/proofmark(?![\w-])/g, repository],
  [/ghcr\.io\/[\w.-]+(?=\/proofmark-)/g, imageRegistry],
];

/** The text with every place where the project is published as `published-names.ts` has it. */
export function withPublishedPlaces(text: string): string {
  return places.reduce((changed, [said, instead]) => changed.replace(said, instead), text);
}

const Versioned = z.looseObject({ version: z.string() });
const versionLine = /^ {2}"version": "[^"]*"/m;
/** Behind our own images in manifests. */
const imageVersion = /(ghcr\.io\/[\w.-]+\/proofmark-\w+:)\d+\.\d+\.\d+/g;

/**
 * The files that say where the project is published, or in what version: those that were generated, and every page, workflow and
 * manifest of the repository. The version of all is that of the package.json at the top, which a release raises.
 */
export function followPublished(root: string, generated: readonly GeneratedFile[]): GeneratedFile[] {
  const { version } = Versioned.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  const texts = new Map(generated.map(({ path, content }) => [path, content]));
  for (const path of trackedFiles(root, ['*.md', '*.yml', '*.yaml'])) {
    const present = texts.get(path) ?? readFileSync(join(root, path), 'utf8');
    const followed = withPublishedPlaces(present).replace(imageVersion, `$1${version}`);
    if (followed !== present) texts.set(path, followed);
  }
  for (const path of trackedFiles(root, ['*/package.json'])) {
    const present = readFileSync(join(root, path), 'utf8');
    const followed = present.replace(versionLine, `  "version": "${version}"`);
    if (followed !== present) texts.set(path, followed);
  }
  return [...texts].map(([path, content]) => ({ path, content }));
}

function trackedFiles(root: string, patterns: readonly string[]): string[] {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...patterns];
  const deleted = new Set(git(root, ['ls-files', '--deleted', '--', ...patterns]));
  return git(root, list).filter((path) => !deleted.has(path));
}

const git = (cwd: string, args: readonly string[]): string[] =>
  execFileSync('git', [...args], { cwd })
    .toString()
    .split('\n')
    .filter((line) => line !== '');
