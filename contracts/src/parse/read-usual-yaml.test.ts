import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { problemList } from './finding.ts';
import { pathsOf } from './paths-of.fixture.ts';
import { readUsualYaml } from './read-usual-yaml.ts';
import { parseSource } from './source-document.ts';

/** What the reader of the whole language makes of a text: a tab in a comment behind it is beyond the other one. */
function readWithCare(text: string) {
  const problems = problemList();
  const end = text.endsWith('\n') || text === '' ? '' : '\n';
  const document = parseSource('a.yaml', `${text}${end}#\t`, problems);
  return { document, problems: problems.sorted().map(({ message }) => message) };
}

/** Whatever the quick reader reads, the careful one reads alike. Whether it was read. */
function expectAlike(text: string): boolean {
  const usual = readUsualYaml(text);
  if (usual === undefined) return false;
  const { document, problems } = readWithCare(text);
  expect({ text, problems, value: usual.value }).toEqual({ text, problems: [], value: document?.value });
  const lines = text.split('\n');
  const offsetOf = ({ line, column }: { line: number; column: number }) =>
    lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0) + column - 1;
  for (const path of pathsOf(usual.value)) {
    for (const at of ['key', 'value'] as const) {
      const careful = document?.place({ path, at });
      expect({ text, path, at, offset: usual.placeOfPath(path, at) }).toEqual({
        ...{ text, path, at },
        offset: careful && offsetOf(careful),
      });
    }
  }
  return true;
}

const word = fc.constantFrom('name', 'When?', 'say "x"', "it's", '../a.yaml', 'true', 'a, b', '(x)', '$from');
const odd = fc.constantFrom('null', '~', 'a: b', 'a #b', '# c', '- x', '{', ']', '.inf', '-x');
const text = fc.oneof(
  { arbitrary: word, weight: 8 },
  odd,
  fc.constantFrom('1', '007', '1e3', '-4.5', '0x1f', '.5', '', ' ', 'é', '…', 'a\nb', 'a\n\n b\n', 'c\n'),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom(0.5, -0.25, 1e21)),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom('a', 'b_c', 'minPassRate', 'Case 1'), text), tie('any'), { maxKeys: 4 }),
  ),
})).any;
const file = fc
  .tuple(
    fc.dictionary(fc.constantFrom('name', 'cases', 'x y', '1', 'null'), value, { minKeys: 1, maxKeys: 4 }),
    fc.record({
      indent: fc.constantFrom(2, 4),
      indentSeq: fc.boolean(),
      lineWidth: fc.constantFrom(0, 40),
      collectionStyle: fc.constantFrom('any' as const, 'flow' as const),
      defaultStringType: fc.constantFrom('PLAIN' as const, 'QUOTE_DOUBLE' as const, 'QUOTE_SINGLE' as const),
    }),
  )
  .map(([content, options]) => stringify(content, options));

test('what it reads of any YAML, the careful reader reads alike, value by value and place by place', () => {
  let isRead = 0;
  fc.assert(
    fc.property(file, (yaml) => {
      if (expectAlike(yaml)) isRead += 1;
    }),
    { numRuns: 400 },
  );
  // It leaves most of what is made here to the other one. Some dice give it thirty of 400, others eighty.
  expect(isRead).toBeGreaterThan(10);
});

/** Characters with a meaning, put into a file anywhere, or in place of what stood there. */
const edits = fc.array(
  fc.record({
    at: fc.nat(400),
    cut: fc.nat(3),
    put: fc.constantFrom(
      ...[
        ' ',
        '  ',
        '\n',
        '\n  ',
        '\n\n',
        ':',
        ': ',
        '- ',
        '-',
        '#',
        ' # c',
        ',',
        '{',
        '}',
        '[',
        ']',
        '"',
        "'",
        '|',
        '|-',
        '>',
      ],
      ...[
        '\n# c\n',
        '&a ',
        '*a',
        '!x ',
        '? ',
        '\\',
        '0',
        '.',
        '~',
        '%',
        '@',
        '`',
        'a',
        '\n---\n',
        '\t',
        'b: c',
        '\n...\n',
      ],
    ),
  }),
  { maxLength: 4 },
);
const sample = `# A comment
name: Support # behind
agent: { name: Desk, instructions: "Be \\"kind\\".", tags: [a, 'it''s', 1.5, true] }
matrix:
  model: [ small,
    large ]
cases:
  - name: Opening hours
    input: |
      When are you open?

        Tell me.
    expected_behavior:
      checks:
      - { type: contains_phrases, phrases: ["17"] }
      - type: max_length
        max: -12
        why: >-
          One line,
          and another.
        file: ../checks/a.mjs
  # between
  - name: Other
    input: What is (that) - and this, "there"?
gate: {}
list: []
`;

test('one broken or changed anywhere is read alike, or not at all', () => {
  expect(expectAlike(sample)).toBe(true);
  let isRead = 0;
  fc.assert(
    fc.property(edits, (changes) => {
      const edited = changes.reduce((now, { at, cut, put }) => now.slice(0, at) + put + now.slice(at + cut), sample);
      if (expectAlike(edited)) isRead += 1;
    }),
    { numRuns: 600, examples: [[[]]] },
  );
  expect(isRead).toBeGreaterThan(20);
});

test.each([
  ['an anchor', 'a: &x 1\nb: *x'],
  ['a key twice', 'a: 1\nb: { c: 1, c: 2 }'],
  ['a number that no double holds', 'a: 9007199254740993'],
  ['a text over two lines', 'a: b\n  c'],
  ['two documents', 'a: 1\n---\nb: 2'],
  ['a list at the top', '- a'],
  ['a prototype', '__proto__: { a: 1 }'],
  ['very deep', `a: ${'['.repeat(40)}${']'.repeat(40)}`],
  ['a bracket that is not closed', 'a: [b'],
  ['nothing', ''],
])('what is unusual is left to the careful reader: %s', (_, yaml) => {
  expect(readUsualYaml(yaml)).toBeUndefined();
});
