import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { z } from 'zod';
import type { RunningProduct } from './running-product.ts';

const problems = '... on InvalidDefinitions { problems { code path message hint } }';
const failure = `__typename ... on UserError { code message } ${problems}`;

/** What every definition has. */
export const Row = z.looseObject({ id: z.uuid() });

/** A name that no other test has. */
export const unique = (word: string) => `${word} ${randomUUID().slice(0, 8)}`;

const scripted = { type: 'scripted', replies: [{ reply: 'We close at 17.' }] };

export const suiteFields = `id name description path isEnabled scheduleType scheduleTime scheduleDayOfWeek alertOnRegression
  alertThresholdPercent variables testTypeName judge { name } agent { id name } createdBy createdAt updatedAt`;

const checks = { checks: [{ type: 'contains_phrases', phrases: ['17'] }] };

/** What a test case of this suite is made of. */
export const aCase = (suiteId: string, more: Record<string, unknown> = {}) => ({
  suiteId,
  name: unique('case'),
  input: 'When do you close?',
  expectedBehavior: checks,
  ...more,
});

/** Makes, changes, reads and deletes definitions of a product over GraphQL; what must succeed is asserted. */
export function definitionsOf(running: () => RunningProduct) {
  /** Sends one mutation with an input, and returns its result. */
  async function mutate(name: string, input: Record<string, unknown>, fields: string, token?: string) {
    const inputType = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
    const text = `mutation ($input: ${inputType}!) { ${name}(input: $input) { ${failure} ${fields} } }`;
    const { data, errors } = await running().ask(text, { input }, token);
    expect(errors).toEqual([]);
    return z.record(z.string(), z.unknown()).parse(data?.[name]);
  }

  const remove = async (name: string, id: string) => {
    const { data, errors } = await running().ask(
      `mutation ($id: UUID!) { ${name}(id: $id) { __typename ... on UserError { code message } } }`,
      { id },
    );
    expect(errors).toEqual([]);
    return data?.[name];
  };

  /** Makes a definition that must be accepted. */
  async function make(
    kind: string,
    field: string,
    input: Record<string, unknown>,
    fields = 'id',
  ): Promise<z.infer<typeof Row>> {
    const made = await mutate(`create${kind}`, input, `... on Create${kind}Success { ${field} { ${fields} } }`);
    expect(made).toMatchObject({ __typename: `Create${kind}Success` });
    return Row.parse(made[field]);
  }

  async function read(query: string, variables: Record<string, unknown> = {}) {
    const { data, errors } = await running().ask(query, variables);
    expect(errors).toEqual([]);
    return data;
  }

  async function aSuite(more: Record<string, unknown> = {}, agent: Record<string, unknown> = {}) {
    const { id: agentId } = await make('Agent', 'agent', {
      name: unique('Agent'),
      instructions: 'Be kind.',
      driver: scripted,
      ...agent,
    });
    const suite = await make('Suite', 'suite', { agentId, name: unique('Suite'), ...more }, suiteFields);
    return { agentId, suiteId: suite.id, suite };
  }

  return { mutate, remove, make, read, aSuite };
}
