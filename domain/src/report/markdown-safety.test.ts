import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvText } from '../text/csv-text.ts';
import { fencedBlock, inlineCode, inlineName } from '../text/markdown-text.ts';
import { visibleText } from '../text/visible-text.ts';
import { renderMarkdown } from './report-markdown.ts';
import { sampleReport } from './sample-test-run.fixture.ts';

const fragment = fc.oneof(
  fc.constantFrom(
    '`',
    '|',
    '<',
    '>',
    '#',
    '-',
    '*',
    '_',
    '[',
    ']',
    '(',
    ')',
    '!',
    '@',
    '&',
    '=',
    '+',
    ';',
    '"',
    "'",
    ',',
  ),
  fc.constantFrom(
    '\t',
    '\0',
    '\r',
    '\u{202E}',
    '\u{200B}',
    '\u{D800}',
    '</code>',
    '<details>',
    'www.a.b',
    'https://a.b',
  ),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
);
const line = fc.oneof(
  fc.constantFrom('```', '````', '`````text', '~~~', '# x', '| a | b |', '|---|---|', '', '- x', '<details>'),
  fc.array(fragment, { maxLength: 6 }).map((parts) => parts.join('')),
);
/** Text in which what Markdown and spreadsheets act on is as frequent as letters. */
const hostileText = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));

describe('whatever text comes', () => {
  test('inline code is one code element without any markup of its own', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const inside = /^<code>(.*)<\/code>$/s.exec(inlineCode(text))?.[1] ?? '';
        expect(inside.replaceAll('<wbr>', '').replaceAll(/&#\d+;/g, '')).toMatch(/^[^!-/:-@[-`{-~\n\r]*$/);
      }),
    );
  });

  test('a plain name has no punctuation but single underscores inside', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const name = inlineName(text);
        expect(
          name === '(empty)' || name.startsWith('<code>') || /^[\p{L}\p{N}]+([ _][\p{L}\p{N}]+)*$/u.test(name),
        ).toBe(true);
      }),
    );
  });

  test('no line inside a fence can close it', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const [fence = '', ...rest] = fencedBlock(text).split('\n');
        if (!fence.startsWith('```')) return;
        const marks = fence.replace('text', '');
        expect(rest.findIndex((line) => /^ {0,3}`+[ \t]*$/.test(line) && line.trim().length >= marks.length)).toBe(
          rest.length - 1,
        );
      }),
    );
  });

  test('the report keeps its layout', () => {
    const outline = (text: string) =>
      renderMarkdown(sampleReport([{ outcome: { response: text, testInput: text } }]))
        .split(/^(`{3,})text\n[\s\S]*?^\1$/m)
        .filter((_, index) => index % 2 === 0);
    const ordinary = outline('x');
    fc.assert(
      fc.property(hostileText, (text) => {
        fc.pre(text.trim() !== '');
        expect(outline(text)).toEqual(ordinary);
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ['as it was', { rawCells: true }, (text: string) => text.toWellFormed()],
    ['C52 with everything visible', {}, visibleText],
  ] as const)('a CSV cell comes back %s, apart from a quote before a formula', (_, options, shown) => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const line = csvText([[text, 'end']], options);
        expect(line.endsWith(',end\r\n')).toBe(true);
        const cell = line.slice(0, -',end\r\n'.length);
        const value = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
        expect([shown(text), `'${shown(text)}`]).toContain(value);
      }),
    );
  });
});
