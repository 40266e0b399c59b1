import { suggestName } from '@proofmark/contracts/near-match';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { substitute, templateNames } from '../plan/substitute-case.ts';
import { parseVariableConfigs } from '../vectors/parse-variable-config.fixture.ts';
import { parseIsoDate } from './check-value.ts';
import { describeVariables } from './describe-variables.ts';
import { convertAssignments, convertText, parseAssignments } from './parse-assignments.ts';

test('C41 a calendar date stays as given and a date-time becomes UTC with milliseconds', () => {
  const texts = (list: string[]) => list.map((text) => parseIsoDate(text)?.text);
  expect(texts(['2025-01-13', '2024-02-29', '0001-01-01'])).toEqual(['2025-01-13', '2024-02-29', '0001-01-01']);
  expect(texts(['2025-01-13T10:00Z', '2025-01-13T10:00:00+02:00', '2025-01-13T10:00:00.1234-00:30'])).toEqual([
    '2025-01-13T10:00:00.000Z',
    '2025-01-13T08:00:00.000Z',
    '2025-01-13T10:30:00.123Z',
  ]);
});

test('C41 impossible days, local times and looser spellings are no dates', () => {
  const refused = [
    '2025-02-29',
    '2025-13-01',
    '2025-00-10',
    '2025-01-00',
    '2025-04-31',
    '2025-1-3',
    '20250113',
    ' 2025-01-13',
    '2025-01-13Z',
    '2025-01-13 10:00:00Z',
    '2025-01-13T10:00:00',
    '2025-01-13T24:00:00Z',
    '2025-01-13T10:60:00Z',
    '2025-01-13T10:00:60Z',
    '2025-01-13T10:00:00+24:00',
    '2025-01-13T10:00:00+0200',
    '2025-01-13t10:00:00z',
    '0000-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+002025-01-13',
    '1736762400',
    'today',
    '',
  ];
  expect(refused.filter((text) => parseIsoDate(text) !== undefined)).toEqual([]);
});

test('every instant that JavaScript writes is read back as itself', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true }),
      (date) => {
        const text = date.toISOString();
        expect(parseIsoDate(text)).toEqual({ text, instantMs: date.getTime() });
        expect(parseIsoDate(text.slice(0, 10))?.text).toBe(text.slice(0, 10));
      },
    ),
  );
});

test('S4-68 S4-69 an assignment is split at the first equals sign and converted by its type (C39)', () => {
  const parsed = parseAssignments(['Region=a=b', 'T=0.5', ' Flag =no']);
  if (!parsed.ok) throw new Error(parsed.error.message);
  const type = {
    variables: (['Region', 'T', 'Flag'] as const).map((name, index) => ({
      name,
      dataType: (['string', 'number', 'boolean'] as const)[index] ?? 'string',
      valueSource: 'freeform' as const,
      required: false,
    })),
  };
  expect(convertAssignments(parsed.assignments, type)).toEqual({
    ok: true,
    variables: { Region: 'a=b', T: 0.5, Flag: false },
  });
});

test('S4-73 an assignment without a name or an equals sign is refused', () => {
  expect(['x', '', '=x', ' =x'].map((arg) => parseAssignments([arg]).ok)).toEqual([false, false, false, false]);
});

test('numbers are decimal numbers and nothing else', () => {
  expect(['1', '-1', '+1', '.5', '1.', '1e3', '1E-3', ' 7 '].map((text) => convertText('number', text))).toEqual([
    1, -1, 1, 0.5, 1, 1000, 0.001, 7,
  ]);
  const refused = ['', ' ', '1,5', '1_000', '0x10', '0b1', 'NaN', 'Infinity', '-Infinity', '1e999', '1 2', '１'];
  expect(refused.filter((text) => convertText('number', text) !== undefined)).toEqual([]);
});

test('placeholders are filled in once and values are never expanded again', () => {
  expect(substitute('On {{Day}}, {{Day}} at {{Hour}}', { Day: '{{Hour}}', Hour: 9 })).toEqual({
    ok: true,
    text: 'On {{Hour}}, {{Hour}} at 9',
  });
  expect(substitute('$& {{A}} $1', { A: '$& $$' })).toEqual({ ok: true, text: '$& $& $$ $1' });
});

test('every other expression in double braces is unknown, single braces are text', () => {
  const unknown = (text: string) => {
    const result = substitute(text, { Day: 'Monday' });
    return result.ok ? [] : result.unknown;
  };
  expect(unknown('{{Day}} {{day}} {{ Day }} {{a.b}} {{#if}} {{{x}} {{constructor}}')).toEqual([
    'day',
    ' Day ',
    'a.b',
    '#if',
    '{x',
    'constructor',
  ]);
  expect(unknown('{Day} <%Day%> {%Day%} {{ open }')).toEqual([]);
  expect(templateNames('{{A}} {{B}} {{A}}')).toEqual(['A', 'B']);
});

test('text without double braces comes back unchanged', () => {
  fc.assert(
    fc.property(
      fc.string().filter((text) => !text.includes('{{')),
      (text) => {
        expect(substitute(text, { A: 'x' })).toEqual({ ok: true, text });
      },
    ),
  );
});

test('S4-85 the nearest known name is suggested, and none when nothing is near', () => {
  const known = ['Temperature', 'MaxTokens', 'AIConfiguration'];
  expect(suggestName('temprature', known)).toBe("Did you mean 'Temperature'?");
  expect(suggestName('max_tokens', known)).toBe("Did you mean 'MaxTokens'?");
  expect(suggestName('Region', known)).toBeUndefined();
  expect(suggestName('x', [])).toBeUndefined();
});

test('documents that are not what they should be never count as absent', () => {
  const parse = (type: unknown, more: object = {}) =>
    parseVariableConfigs({ type, test: null, suite: null, ...more }).ok;
  expect([parse(null), parse(undefined), parse('null'), parse('{"schemaVersion":"1.0","variables":[]}')]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  const bad = [
    '',
    '{',
    '[]',
    '5',
    [],
    5,
    { variables: [] },
    { schemaVersion: '1.0' },
    { schemaVersion: '1.0', variables: [{}] },
  ];
  expect(bad.map((type) => parse(type))).toEqual(bad.map(() => false));
  expect(parse(null, { test: { variables: { A: { locked: 'yes' } } } })).toBe(false);
  expect(parse(null, { test: { variables: { A: 5 } } })).toBe(false);
  expect(parse(null, { test: {} })).toBe(true);
  expect(parse(null, { suite: { variables: [] } })).toBe(false);
});

test('S4-72 S4-17 a variable is described with its default, where that comes from, and labels for its values', () => {
  const type = {
    variables: [
      {
        name: 'Model',
        displayName: 'The model',
        dataType: 'string',
        valueSource: 'static',
        required: false,
        possibleValues: [{ value: 'a', label: 'Alpha' }, { value: 'b' }],
      },
      { name: 'T', dataType: 'number', valueSource: 'freeform', required: true, defaultValue: 0.7 },
      { name: 'Hidden', dataType: 'string', valueSource: 'freeform', required: false },
    ] as const,
  };
  const test = { T: { defaultValue: 0, locked: true }, Hidden: { exposed: false } };
  expect(describeVariables({ type, test })).toEqual([
    {
      name: 'Model',
      displayName: 'The model',
      description: null,
      dataType: 'string',
      required: false,
      locked: false,
      defaultValue: undefined,
      defaultSource: null,
      allowed: [
        { value: 'a', label: 'Alpha', description: null },
        { value: 'b', label: 'b', description: null },
      ],
    },
    {
      name: 'T',
      displayName: 'T',
      description: null,
      dataType: 'number',
      required: true,
      locked: true,
      defaultValue: 0,
      defaultSource: 'test',
      allowed: null,
    },
  ]);
});
