import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VariableSource } from '@proofmark/contracts/variables';
import { resolveVariables } from '@proofmark/domain/resolve-variables';
import { describe, expect, it } from 'vitest';

const page = readFileSync(join(import.meta.dirname, '../../docs/variables.md'), 'utf8');
const table = /<!-- worked-example -->\n([\s\S]*?)<!-- \/worked-example -->/.exec(page)?.[1] ?? '';
const rows = table
  .trim()
  .split('\n')
  .slice(2)
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

const numberIn = (cell: string): { defaultValue?: number } => {
  const given = /default ([\d.]+)/.exec(cell)?.[1];
  return given === undefined ? {} : { defaultValue: Number(given) };
};

/** What a test makes of the variable, as its cell says it. */
function overrideIn(cell: string) {
  const only = /only ([\d.]+) or ([\d.]+)/.exec(cell);
  return {
    ...numberIn(cell),
    ...(cell.includes('locked') ? { locked: true } : {}),
    ...(cell.includes('hidden') ? { exposed: false } : {}),
    ...(only === null ? {} : { restrictedValues: [Number(only[1]), Number(only[2])] }),
  };
}

const level = (cell: string): Record<string, number> => (cell === '' ? {} : { Number: Number(cell) });

describe('the worked example of docs/variables.md (S4-06, S4-48, S4-49)', () => {
  it.each(rows)(
    'type %s, agent %s, AI configuration %s, test %s, suite %s, run %s: %s from %s',
    (type = '', agent = '', configuration = '', test = '', suite = '', run = '', value, source) => {
      const rule = {
        name: 'Number',
        dataType: 'number',
        valueSource: 'freeform',
        required: type === 'required',
        ...numberIn(type),
      } as const;
      const resolution = resolveVariables({
        type: { variables: [rule] },
        test: { Number: overrideIn(test) },
        suite: level(suite),
        run: level(run),
        model: [
          { source: 'ai_configuration', configuration: 'named', values: level(configuration) },
          { source: 'agent', configuration: 'own', values: level(agent) },
        ],
      });
      const found = resolution.ok
        ? [String(resolution.resolved.values.Number ?? 'none'), resolution.resolved.sources.Number ?? '']
        : [`\`${resolution.error.code}\``, ''];
      expect(found).toEqual([value, source]);
    },
  );

  it('has rows for every level, for locks and for errors', () => {
    expect(rows.length).toBeGreaterThan(10);
    expect(new Set(rows.map((row) => row.at(-1)))).toEqual(new Set([...VariableSource.options, '']));
  });
});
