import { renderTemplate } from './render-template.ts';
import type { Remarks } from './source.ts';
import type { ImportedCheck } from './translate-assertion.ts';
import type { ImportedPrompt } from './translate-prompt.ts';
import type { ImportedTest } from './translate-tests.ts';

/** A suite file of 4 MB is read and no longer one; files that many tests name would soon fill it. */
const mostText = 3_000_000;

export interface ImportedCase {
  name: string;
  input: string;
  messages?: ImportedPrompt['messages'];
  literal?: true;
  status?: 'draft';
  metadata?: Record<string, unknown>;
  expected_behavior: { checks: ImportedCheck[] };
}

/** Whoever answers: a model gets the prompt in its parts, all else gets it whole. */
interface Answering {
  isModel: boolean;
  /** By which tests may name it. */
  names: readonly string[];
}

/** The tests as cases of one prompt. What asserts nothing is asked all the same; what has lost all that it asserts is a draft. */
export function casesOf(
  tests: readonly ImportedTest[],
  prompt: ImportedPrompt,
  { remarks, answering }: { remarks: Remarks; answering: Answering },
): ImportedCase[] {
  let length = 0;
  return tests.filter(isAskedOf(prompt, answering)).flatMap((test) => {
    const said = saidIn(test, prompt, answering);
    length += said.ok ? said.texts.join('').length : 0;
    const why = said.ok ? (length > mostText ? 'its suite would be longer than 3 MB' : undefined) : said.reason;
    if (!said.ok || why !== undefined) {
      remarks.add(test.source, test.path, `no case of prompt ${prompt.name}: ${why}`);
      return [];
    }
    const written = caseOf(test, said.texts, { prompt, answering, remarks });
    if (!hasUnreadable(written)) return [written];
    remarks.note(test.source, test.path, 'a control character in it became a space');
    return [mended(written)];
  });
}

const isAskedOf =
  ({ ids }: ImportedPrompt, { names }: Answering) =>
  ({ prompts, providers }: ImportedTest): boolean =>
    (prompts?.some((one) => ids.includes(one)) ?? true) && (providers?.some((one) => names.includes(one)) ?? true);

/** What is said, message after message. */
function saidIn(
  { values, lost }: ImportedTest,
  prompt: ImportedPrompt,
  { isModel }: Answering,
): { ok: true; texts: string[] } | { ok: false; reason: string } {
  const templates = isModel ? [...prompt.messages.map(({ content }) => content), prompt.input] : [prompt.whole];
  const missing = lost.find((name) => templates.some((text) => namesIn(text).includes(name)));
  if (missing !== undefined) return { ok: false, reason: `the value of ${missing} is left out` };
  const filled = templates.map((text) => renderTemplate(text, values));
  const broken = filled.find((one) => !one.ok);
  if (broken?.ok === false) return broken;
  const texts = filled.flatMap((one) => (one.ok ? one.text : []));
  if (texts.some((text) => !/\S/.test(text))) return { ok: false, reason: 'a message of it is empty' };
  return { ok: true, texts };
}

/** What no definition file may hold. */
const unreadable = /(?![\t\n\r])\p{Cc}|\p{Cs}/gu;

function hasUnreadable(value: unknown): boolean {
  if (typeof value === 'string') return value.search(unreadable) !== -1;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasUnreadable);
}

const mended = <Value>(value: Value): Value =>
  JSON.parse(
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'string' ? inner.replaceAll(unreadable, ' ') : inner,
    ),
  );

/** Every word in the places and commands of a template. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/\{[{%]([^}]*)\}/g)].flatMap(([, inner = '']) => inner.split(/\W+/));

interface Telling {
  prompt: ImportedPrompt;
  answering: Answering;
  remarks: Remarks;
}

function caseOf(test: ImportedTest, said: readonly string[], { prompt, answering, remarks }: Telling): ImportedCase {
  const { name, checks, isCut, metadata, source, path } = test;
  const isDraft = checks.length === 0 && isCut;
  if (isDraft) remarks.add(source, path, 'nothing that it asserts is translated: the case is a draft');
  else if (checks.length === 0) remarks.note(source, path, 'it asserts nothing: the case asks for any answer');
  const expected = checks.length === 0 ? [anything] : checks;
  const messages = prompt.messages.map(({ role }, at) => ({ role, content: said[at] ?? '' }));
  return {
    name,
    ...(answering.isModel && messages.length > 0 ? { messages } : {}),
    input: said.at(-1) ?? '',
    ...(JSON.stringify([said, expected]).includes('{{') ? { literal: true as const } : {}),
    ...(isDraft ? { status: 'draft' as const } : {}),
    ...(metadata === undefined ? {} : { metadata }),
    expected_behavior: { checks: expected },
  };
}

/** A case has to expect something. */
const anything: ImportedCheck = { type: 'length', min: 1 };
