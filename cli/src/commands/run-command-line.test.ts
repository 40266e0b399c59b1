import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Command } from '../arguments/command.ts';
import { commands } from './run-command-line.ts';

const page = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');
const sections = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.split('\n')[0] ?? '', section]),
);

const optionsIn = (text: string): string[] => [
  ...new Set(Array.from(text.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g), ([, name = '']) => name)),
];
const helpOf = ({ optionHelp }: Command): string => optionHelp.map(([option]) => option).join('\n');

const loaded = await Promise.all(
  commands.map(async ({ name, summary, load }) => [name, summary, await load()] as const),
);

describe.each(loaded)('proofmark %s', (name, summary, command) => {
  const known = Object.keys(command.options).toSorted();

  test('explains every option that it reads, and no other', () => {
    expect(optionsIn(helpOf(command)).toSorted()).toEqual(known);
    expect(optionsIn(command.synopsis).filter((option) => !known.includes(option))).toEqual([]);
  });

  test('stands in docs/cli.md with every option', () => {
    const section = sections.get(name) ?? '';
    expect(section).toContain(summary);
    expect(known.filter((option) => !optionsIn(section).includes(option))).toEqual([]);
  });

  test('answers --json, or writes nothing but its answer', () => {
    expect(known.includes('json') || name === 'schema').toBe(true);
  });
});
