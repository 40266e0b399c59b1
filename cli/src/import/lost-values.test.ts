import { expect, test } from 'vitest';
import { namesInCode } from './lost-values.ts';

test.each([
  ['a property', 'output.includes(context.vars.wanted)'],
  ['a property that may be absent', 'output === context?.vars?.wanted?.trim()'],
  ['a key in quotes', "output === context.vars['wanted'] + context.vars[`x`]"],
  ['a key of Python', 'context["vars"]["wanted"] in output'],
  ['a key in a text of Python', `f"{context['vars']['wanted']}" in output`],
  ['a key with a default', 'context["vars"].get("wanted", "") in output'],
  ['a key of what has a default', 'context.get("vars", {}).get("wanted")'],
  ['a key of the test', 'context["test"]["vars"]["wanted"]'],
  ['what is taken apart', 'const { wanted, x: own } = context.vars;\nreturn output === wanted;'],
  ['what is taken apart with another name', "const { x = 'a', wanted: own } = context.vars || {};"],
  ['what a parameter takes apart', '(output, { vars: { x, wanted } }) => output === wanted'],
  ['a parameter', '(output, { vars }) => output === vars.wanted'],
  ['the same name', 'const vars = context.vars ?? {};\nreturn output === vars.wanted;'],
  ['the same name in Python', 'vars = context.get("vars", {})\nreturn vars["wanted"] in output'],
  ['another name', 'const given = context.vars;\nreturn output === given.wanted;'],
  ['another name in Python', 'given = context["vars"]\nreturn given.get("wanted") in output'],
  ['another name that is taken apart', 'const given = context.vars; const { wanted } = given;'],
  ['a list of names', "['x', 'wanted'].every((name) => output.includes(context.vars[name]))"],
  ['a key in a variable', 'name = "wanted"\nreturn context["vars"][name] in output'],
  ['a function that is given all', 'const fits = (given) => given.wanted === output;\nreturn fits(context.vars);'],
  ['a copy', 'const given = { ...context.vars, x: 1 };\nreturn output === given.wanted;'],
  ['all in brackets', '(context.vars || {}).wanted === output'],
  ['a text that is formatted', 'return "as {wanted}".format(**context["vars"]) in output'],
])('a value that a program takes is known by its name: %s', (_how, code) => {
  expect([...namesInCode(code)]).toContain('wanted');
});

test.each([
  ['a parameter', 'wanted.includes(context.vars.x)'],
  ['a name of its own', 'const wanted = output.trim();\nreturn wanted === context.vars.x;'],
  ['a name of its own in Python', 'wanted = context["vars"]["x"]\nreturn wanted in output'],
  ['a property of the answer', 'JSON.parse(output).wanted === context.vars.x'],
  ['a key of the answer', "json.loads(output)['wanted'] == context['vars'].get('x', 'wanted')"],
  ['an answer that is taken apart', 'const { wanted } = JSON.parse(output);\nreturn wanted === context.vars.x;'],
  ['beside a parameter', '(output, { vars, prompt }) => output.wanted === vars.x'],
  ['beside a typed parameter', 'function judge(output, { vars }: Context) { return output.wanted === vars.x; }'],
  ['beside what is taken apart', 'const { vars } = context;\nreturn output.wanted === vars.x;'],
  ['beside the same name', 'vars = context["vars"]\nreturn output["wanted"] == vars["x"]'],
  ['beside another name', 'const given = context.vars;\nconst wanted = output;\nreturn wanted === given.x;'],
  ['a property of a value', 'output === context.vars.x.wanted'],
  ['what has no values', 'output.wanted'],
])('a name that a program uses for something else takes no value: %s', (_what, code) => {
  expect([...namesInCode(code)]).not.toContain('wanted');
});

test('a long file that is nothing but the beginnings of names is looked through at once', () => {
  for (const part of ['vars ', '{ vars, ', 'vars={', 'vars = vars.', '"vars" ', 'vars: {', '{ '])
    expect(namesInCode(part.repeat(Math.ceil(200_000 / part.length))).size).toBeLessThan(10);
});
