import { describe, expect, test } from 'vitest';
import { brief, loadFiles, okCase, problemsOf, suiteOf } from '../load/sample-files.fixture.ts';

const valid = suiteOf(`cases:\n${okCase}`);
const messages = (text: string | Uint8Array): string =>
  problemsOf(text)
    .map(({ message }) => message)
    .join('\n');

/** Runs `work` and returns the processor time it took, whatever else the machine does, and by how much the process grew. */
function measured<Result>(work: () => Result): { result: Result; ms: number; grownMb: number } {
  const before = process.memoryUsage.rss();
  const start = process.threadCpuUsage();
  const result = work();
  const { user, system } = process.threadCpuUsage(start);
  return { result, ms: (user + system) / 1000, grownMb: (process.memoryUsage.rss() - before) / 1e6 };
}

test('a plain suite has no problems', () => {
  expect(problemsOf(valid)).toEqual([]);
});

describe('D1 to D4: what counts as a file', () => {
  test('a file of more than 262,144 bytes is refused by its size', () => {
    expect(messages(`${valid}# ${'x'.repeat(262_144)}`)).toMatch(/^file too large: size 262\d+ bytes, limit 262144$/);
  });

  test('a file of exactly 262,144 bytes is read', () => {
    const filled = `${valid}#${'x'.repeat(262_143 - Buffer.byteLength(valid))}`;
    expect(Buffer.byteLength(filled)).toBe(262_144);
    expect(problemsOf(filled)).toEqual([]);
  });

  test('bytes that are not UTF-8 are refused', () => {
    const bytes = new Uint8Array([...Buffer.from('name: '), 0xc3, 0x28]);
    expect(messages(bytes)).toBe('not valid UTF-8');
  });

  test.each(['NaN', 'Infinity', '0x10', 'yes', "'x'", '.5'])(
    'D13 what JSON does not have is refused in a JSON file with the key around it: %s',
    (value) => {
      const text = `{"name": "S", "gate": {"min_pass_rate": ${value}}}`;
      const found = loadFiles({ 'sample.suite.json': text }).problems;
      expect(found.map(({ message }) => message).join()).toMatch(/^not valid JSON inside `min_pass_rate`: /);
    },
  );

  test('U+FFFD is a character like any other where somebody wrote it in valid UTF-8', () => {
    const text = valid.replace(/^name: .*/m, 'name: the mark \uFFFD');
    expect(problemsOf(Buffer.from(text))).toEqual([]);
  });

  test.each([
    ['in either order of bytes', Buffer.from(valid, 'utf16le')],
    ['swapped', Buffer.from(valid, 'utf16le').swap16()],
    ['marked', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(valid, 'utf16le')])],
    ['marked and swapped', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(valid, 'utf16le').swap16()])],
  ])('UTF-16 is refused by its name: %s', (_, bytes) => {
    expect(messages(bytes)).toBe('not valid UTF-8: it looks like UTF-16');
  });

  test('a byte order mark is fine and moves no line', () => {
    expect(problemsOf(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(valid)]))).toEqual([]);
    expect(brief(problemsOf(`\uFEFFname: 5\n${valid.slice(valid.indexOf('\n') + 1)}`))).toEqual([
      '1 invalid_type name',
    ]);
  });

  test.each([
    ['raw', `name: a\u0007b\n`, 'control character U+0007'],
    ['escaped', String.raw`name: "a\u0007b"`, 'control character U+0007'],
    ['escaped NUL', String.raw`name: "a\0b"`, 'NUL'],
    ['escaped in a key', String.raw`"na\u0000me": b`, 'NUL'],
    ['a lone surrogate', String.raw`name: "a\ud800b"`, 'lone surrogate'],
  ])('a control character is refused: %s', (_, text, words) => {
    expect(messages(text)).toContain(words);
  });

  test.each([
    ['nothing', '', 'empty'],
    ['only a comment', '# nothing here\n', 'empty'],
    ['a list', '- a\n- b\n', 'must be an object'],
    ['a word', 'hello\n', 'must be an object'],
    ['two documents', 'name: a\n---\nname: b\n', 'more than one document'],
    ['YAML 1.1', '%YAML 1.1\n---\nname: NO\n', 'YAML 1.1 is not supported'],
  ])('a file that holds %s is refused', (_, text, words) => {
    expect(messages(text)).toContain(words);
  });
});

describe('D5 and D13: syntax', () => {
  test.each([
    ['a tab', 'name: a\ncases:\n\t- b\n', 3, 'tab'],
    ['an open quote', 'name: "a\ncases: []\n', 3, 'a text that begins with " never ends Close the quotes.'],
    ['an open list', 'name: a\ntags: [b\ncases: []\n', 3, 'an opened [ is not closed before this line'],
    ['an open object', 'name: a\ngate: { alpha: 0.1\ncases: []\n', 3, 'Write the missing }'],
    ['a second colon', 'name: a: b\n', 1, 'in quotes'],
    ['a reserved character', 'name: `a`\n', 1, 'in quotes'],
  ])('%s is reported at its line with what to do', (_, text, line, words) => {
    const [problem] = problemsOf(text);
    expect(problem?.line).toBe(line);
    expect(`${problem?.message} ${problem?.hint}`).toContain(words);
  });

  test('a .json file must be JSON, and the enclosing key is named', () => {
    const { problems } = loadFiles({ 'a.suite.json': '{ "name": "a",\n  "cases": [ { "input": "x", } ] }' });
    expect(problems).toMatchObject([
      { line: 2, code: 'parse_error', message: expect.stringContaining('inside `cases`') },
    ]);
  });

  test('a .json file gets the same checks of its tree', () => {
    const { problems } = loadFiles({ 'a.suite.json': '{ "name": "a", "name": "b" }' });
    expect(problems.map(({ code }) => code)).toContain('duplicate');
  });
});

describe('D6: duplicates', () => {
  test('a duplicate key is reported with both lines, at any depth', () => {
    const text = suiteOf('gate:\n  alpha: 0.05\n  alpha: 0.01\ncases: []');
    expect(problemsOf(text)).toMatchObject([
      { line: 5, code: 'duplicate', path: 'gate.alpha', message: 'duplicate key `alpha`, first on line 4' },
    ]);
  });

  test('two spellings of one key are a duplicate', () => {
    const text = suiteOf('schedule_type: daily\nscheduleType: weekly\ncases: []');
    expect(brief(problemsOf(text))).toContain('4 duplicate scheduleType');
  });

  test('40,000 keys are checked in bounded time', () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join('\n');
    const { result, ms } = measured(() => problemsOf(`name: x\nvariables:\n${keys.replaceAll(/^/gm, '  ')}\n`));
    expect(result.length).toBeGreaterThan(0);
    expect(ms).toBeLessThan(2_000);
  });
});

describe('D7 to D10: trees', () => {
  const nested = (depth: number): string =>
    suiteOf(`cases:\n${okCase}\nmock_settings: { state: ${'{ a: '.repeat(depth)}1${' }'.repeat(depth)} }`);

  test('64 levels are fine, 65 are nested too deeply', () => {
    expect(problemsOf(nested(62))).toEqual([]);
    expect(messages(nested(63))).toContain('nested too deeply');
  });

  test.each(['[', '{', '- ', '? ', '{a: ', '["', '}', ']'])(
    'a file of nothing but `%s` is refused in bounded time and memory',
    (piece) => {
      const text = piece.repeat(Math.floor(262_144 / piece.length));
      const { result, ms, grownMb } = measured(() => problemsOf(text));
      expect(result[0]?.code).toMatch(/^(?:limit|parse_error)$/);
      expect(result.length).toBeLessThanOrEqual(50);
      expect(ms).toBeLessThan(4_000);
      expect(grownMb).toBeLessThan(600);
    },
  );

  test('an alias bomb is refused before it grows', () => {
    const levels = Array.from(
      { length: 9 },
      (_, index) => `  l${index + 1}: &l${index + 1} [${Array(9).fill(`*l${index}`).join(', ')}]`,
    );
    const text = `name: x\nmock_settings:\n  l0: &l0 [1, 2, 3, 4, 5, 6, 7, 8, 9]\n${levels.join('\n')}\n`;
    const { result, ms, grownMb } = measured(() => problemsOf(text));
    expect(result.map(({ message }) => message).join()).toContain('alias');
    expect(ms).toBeLessThan(1_000);
    expect(grownMb).toBeLessThan(100);
  });

  test('aliases below the limits are expanded, each use a copy of its own', () => {
    const { definitions, problems } = loadFiles({
      'a.suite.yaml': suiteOf(
        `mocks:\n  - { tool: a, returns: &hours { open: 9 } }\n  - { tool: b, returns: *hours }\ncases:\n${okCase}`,
      ),
    });
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const [first, second] = definitions.suites[0]?.suite.mocks ?? [];
    expect(second?.returns).toEqual({ open: 9 });
    expect(second?.returns).not.toBe(first?.returns);
  });

  test('more than 100 aliases are refused', () => {
    expect(messages(`name: &a x\nvariables: [${Array(101).fill('*a').join(', ')}]\n`)).toContain(
      'more than 100 aliases',
    );
  });

  test('20,001 nodes out of aliases are refused', () => {
    const list = `[${Array(1_000).fill('1').join(', ')}]`;
    expect(messages(`name: x\na: &a ${list}\nb: [${Array(21).fill('*a').join(', ')}]\n`)).toContain(
      'aliases expand to more than 20000 nodes',
    );
  });

  test('an alias to what surrounds it is circular, an alias without anchor is unknown', () => {
    expect(messages('name: x\na: &a { b: *a }\n')).toContain('circular');
    expect(messages('name: *nobody\n')).toContain('has no anchor');
  });

  test.each([
    '!!js/function "x"',
    '!!binary aGk=',
    '!include secrets.yaml',
    '!!set { a, b }',
    '!!timestamp 2025-01-01',
  ])('the tag of `%s` is refused, neither executed nor kept as text', (value) => {
    expect(messages(`name: ${value}\n`)).toContain('is not supported');
  });

  test('the tags of the core schema are fine', () => {
    expect(problemsOf(valid.replace('name: Sample', 'name: !!str 5'))).toEqual([]);
  });

  test('a merge key is refused with a hint', () => {
    const [problem] = problemsOf('name: x\nbase: &b { a: 1 }\nother: { <<: *b }\n');
    expect(problem).toMatchObject({
      line: 3,
      message: '`<<` is not supported',
      hint: expect.stringContaining('write the keys out'),
    });
  });

  test('a key that is a list or nothing is refused', () => {
    expect(messages('? [a]\n: 1\nname: x\n')).toContain('a key must be a plain text');
    expect(messages(': 1\nname: x\n')).toContain('a key must be a plain text');
  });
});

describe('D11 and D12: values', () => {
  test('NO and 12:30:45 are texts, as YAML 1.2 says', () => {
    const text = valid.replace('name: Sample', 'name: NO\ndescription: 12:30:45');
    const [loaded] = loadFiles({ 'a.suite.yaml': text }).definitions.suites;
    expect([loaded?.suite.name, loaded?.suite.description]).toEqual(['NO', '12:30:45']);
  });

  test.each([
    ['name: 5', 'must be a string, put it in quotes'],
    ['name: true', 'must be a string, put it in quotes'],
    ['name: x\nis_enabled: "yes"', 'must be a boolean (true or false)'],
    ['name: x\nrepetitions: "3"', 'must be a number'],
    ['name: x\nrepetitions: 2.5', 'must be a whole number'],
  ])('nothing is converted: %s', (lines, words) => {
    expect(messages(valid.replace('name: Sample', lines))).toBe(words);
  });

  test.each(['.inf', '-.inf', '.nan', '1e400', '9007199254740993', '12345678901234567890'])(
    'the number %s is refused',
    (number) => {
      expect(messages(valid.replace('name: Sample', `name: x\nmock_settings: { state: { n: ${number} } }`))).toContain(
        'finite number',
      );
    },
  );
});

test('at most 50 problems of one file are reported', () => {
  const keys = Array.from({ length: 200 }, (_, index) => `wrong${index}: 1`).join('\n');
  expect(problemsOf(`${valid}${keys}\n`)).toHaveLength(50);
});
