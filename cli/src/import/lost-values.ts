/** Why templates cannot be filled in: one of them names a value that is left out. */
export function lostIn(lost: readonly string[], texts: readonly string[]): string | undefined {
  const missing = lost.find((name) => texts.some((text) => namesIn(text).includes(name)));
  return missing === undefined ? undefined : leftOut(missing);
}

const leftOut = (name: string): string => `the value of ${name} is left out`;

/** Every word in the places and commands of a template. */
export const namesIn = (text: string): string[] =>
  [...text.matchAll(/\{[{%]([^}]*)\}/g)].flatMap(([, inner = '']) => inner.split(/\W+/));

/** The values of a test. */
export interface KnownValues {
  values: Readonly<Record<string, unknown>>;
  /** Names of values that are not here: what asks for one of them would say nothing in its place. */
  lost: readonly string[];
}

/**
 * Why a program cannot run: it takes a value that is left out, or one whose text names such a one. Its own names count for
 * nothing, whatever they are.
 */
export function lostInCode({ values, lost }: KnownValues, code: string): string | undefined {
  if (lost.length === 0) return undefined;
  const taken = namesInCode(code);
  const texts = Object.entries(values).flatMap(([name, value]) =>
    taken.has(name) && typeof value === 'string' ? [value] : [],
  );
  const missing = lost.find((name) => taken.has(name));
  return missing === undefined ? lostIn(lost, texts) : leftOut(missing);
}

/** What stands for all values of a test: `vars`, and what ends `context["vars"]` and `context.get("vars", {})`. */
const all = String.raw`\bvars\b(?:["'\x60]\s*\]|["']\s*(?:,\s*\{\s*\}\s*)?\))?`;
const quoted = String.raw`["'\x60]([^"'\x60\n]{1,200})["'\x60]`;
/** Names between braces: those of an object that is taken apart, or of a text with places. */
const inBraces = String.raw`\{([\w\s,:='"]{1,500})\}`;
const ended = String.raw`(?=\s*(?:[;,#\n]|$|\|\||\?\?|or\b))`;

/** `vars.reference`, `vars?.["reference"]`, `vars.get("reference")`; a call of anything else takes them all. */
const one = new RegExp(
  String.raw`${all}\s*(?:\??\.\s*get\(\s*${quoted}|\??\.\s*(\w+)\b(?!\s*\()|(?:\?\.)?\[\s*${quoted}\s*\])`,
  'g',
);
/** `const { reference } = context.vars`, `vars: { reference }`, and `vars = context["vars"]`, which takes none by itself. */
const apart = new RegExp(
  String.raw`(?:\bvars|${inBraces})\s*=\s*[\w.?["'(]{0,100}${all}${ended}|\bvars\s*:\s*${inBraces}`,
  'g',
);
/** `({ vars }) =>` and `const { vars } = context`: they only give it its name. */
const named = /\{[\w\s,:=]{0,500}\bvars\b(?!\s*:)[\w\s,:=]{0,500}\}\s*(?:=(?!=)|[^(){}=]{0,200}\)\s*(?:=>|\{))/g;
const anything = [/\.\s*(\w+)/g, /(?<=["'`])([^"'`\n]{1,200})(?=["'`])/g, new RegExp(inBraces, 'g')];

/**
 * The names of values that a program in JavaScript or Python takes. Where it hands all of them on, or gives them another
 * name, every property and every text in it may be one.
 */
export function namesInCode(code: string): Set<string> {
  const names = new Set<string>();
  const keep = (_whole: string, ...found: unknown[]): string => {
    for (const text of found.slice(0, -2)) if (typeof text === 'string') for (const key of keysOf(text)) names.add(key);
    return ' ';
  };
  const rest = code.replaceAll(apart, keep).replaceAll(one, keep).replaceAll(named, ' ');
  if (/\bvars\b/.test(rest)) for (const pattern of anything) rest.replaceAll(pattern, keep);
  return names;
}

/** `a: own, b = 1` takes `a` and `b`; a name by itself is its own key. */
const keysOf = (text: string): string[] =>
  [text, ...text.split(',')].map((part) =>
    part
      .replace(/[:=][\s\S]*/, '')
      .replaceAll(/["']/g, '')
      .trim(),
  );
