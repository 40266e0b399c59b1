import { expect, test } from 'vitest';
import type { AgentDefinition } from '../definitions/agent-file.ts';
import { brief, loadFiles, okCase, problemsOf } from './sample-files.fixture.ts';

const suite = (agent: string): string => `name: S\nagent: ${agent}\ncases:\n${okCase}\n`;
const agentOf = (agent: string): AgentDefinition | undefined =>
  loadFiles({ 'a.suite.yaml': suite(agent), 'prompts/p.md': '\uFEFFBe kind\r\n' }).definitions.suites[0]?.agent;
const model = 'model: { provider: openai, name: m }';

test.each([
  ['a text', 'instructions: "Be kind"', 'Be kind'],
  ['an inline text', 'instructions: { inline: "Be kind" }', 'Be kind'],
  ['a file', 'instructions: { file: prompts/p.md }', 'Be kind\r\n'],
])('instructions may be %s', (_, instructions, expected) => {
  expect(agentOf(`{ name: a, ${instructions}, ${model} }`)?.instructions).toBe(expected);
});

test.each([
  ['nothing', '', 'required agent.instructions'],
  ['both', 'instructions: { file: a, inline: b },', 'exclusive agent.instructions'],
  ['neither', 'instructions: {},', 'required agent.instructions'],
  ['a file that is missing', 'instructions: { file: none.md },', 'not_found agent.instructions.file'],
  [
    'a file outside of the repository',
    'instructions: { file: ../../../etc/passwd },',
    'invalid_format agent.instructions.file',
  ],
  ['a number', 'instructions: 5,', 'invalid_type agent.instructions'],
])('instructions that are %s are refused', (_, instructions, expected) => {
  expect(brief(problemsOf(suite(`{ name: a, ${instructions} ${model} }`)))).toEqual([`2 ${expected}`]);
});

test.each([
  ['openai', `instructions: x, ${model}`, { type: 'openai' }],
  [
    'http',
    'driver: { type: http, url: "https://example.org/agent" }',
    { type: 'http', url: 'https://example.org/agent' },
  ],
  [
    'command',
    'driver: { type: command, command: [node, agent.js] }',
    { type: 'command', command: ['node', 'agent.js'] },
  ],
])('the driver %s is read with its settings', (_, fields, expected) => {
  expect(agentOf(`{ name: a, ${fields} }`)?.driver).toEqual(expected);
});

test.each([
  ['another scheme', '{ type: http, url: "file:///etc/passwd" }', 'invalid_format agent.driver.url'],
  ['no command', '{ type: command, command: [] }', 'too_short agent.driver.command'],
  ['no replies', '{ type: scripted, replies: [] }', 'too_short agent.driver.replies'],
  ['an unknown type', '{ type: grpc }', 'invalid_enum agent.driver.type'],
])('a driver with %s is refused', (_, driver, expected) => {
  expect(brief(problemsOf(suite(`{ name: a, driver: ${driver} }`)))).toEqual([`2 ${expected}`]);
});

test('a tool twice is refused, a key of HoloDeck’s own is read with a warning', () => {
  const agent = `{ name: a, instructions: x, ${model}, execution: { verbose: true }, tools: [{ name: t, type: mcp, command: npx }, { name: t }, { name: constructor }] }`;
  expect(brief(problemsOf(suite(agent)))).toEqual([
    'warning 2 unknown_field agent.execution',
    'warning 2 unknown_field agent.tools.0.command',
    '2 duplicate agent.tools.1.name',
    '2 invalid_format agent.tools.2.name',
  ]);
});
