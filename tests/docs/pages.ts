import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../stack/processes.ts';

export interface Page {
  /** From the root of the repository. */
  path: string;
  text: string;
}

export interface FencedBlock {
  language: string;
  /** The file that it is, behind the language: for what has no comments. */
  path: string | undefined;
  text: string;
}

/** Every Markdown page of the repository, those not yet committed included. */
export const pages: readonly Page[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'],
  { cwd: repositoryRoot },
)
  .toString()
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(repositoryRoot, path)))
  .map((path) => ({ path, text: readFileSync(join(repositoryRoot, path), 'utf8') }));

const fence = /^```(\w*)(?: (\S+))?\n([\s\S]*?)^```$/gm;

export const fencedBlocks = ({ text }: Page): FencedBlock[] =>
  Array.from(text.matchAll(fence), ([, language = '', path, inner = '']) => ({ language, path, text: inner }));

/** Where the links of a page lead, images included; what stands in code is no link. */
export function linksOf({ text }: Page): string[] {
  const prose = text.replaceAll(fence, '').replaceAll(/`[^`\n]*`/g, '');
  return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target);
}

/** The anchors that GitHub gives the headings of a page. */
export const anchorsOf = ({ text }: Page): string[] =>
  Array.from(text.replaceAll(fence, '').matchAll(/^#+ (.+)$/gm), ([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
