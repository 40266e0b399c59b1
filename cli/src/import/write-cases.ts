import { parseJson } from '@proofmark/contracts/parse-json';
import { type ImportedCheck, isMetric } from './imported-check.ts';
import type { ReadValues } from './imported-provider.ts';
import { lostIn, lostInCode, namesIn } from './lost-values.ts';
import { isTemplate, type Rendered, renderTemplate } from './render-template.ts';
import type { Remarks } from './source.ts';
import { type ImportedPrompt, type Picture, renderChat } from './translate-prompt.ts';
import type { ImportedTest } from './translate-tests.ts';

/** A suite file of 4 MB is read and no longer one; files that many tests name would soon fill it. */
const mostText = 3_000_000;

interface Expecting {
  expected_behavior: { checks: ImportedCheck[] };
}

export interface ImportedCase extends Partial<Expecting> {
  name: string;
  /** Absent: it has turns. */
  input?: string;
  turns?: ({ user: string } & Expecting)[];
  messages?: ImportedPrompt['messages'];
  files?: Record<string, unknown>[];
  /** Metrics that count for it; the suite has them. */
  measures?: ImportedCheck[];
  literal?: true;
  status?: 'draft';
  metadata?: Record<string, unknown>;
}

/** Whoever answers: a model gets the prompt in its parts, all else gets it whole. */
interface Answering {
  isModel: boolean;
  /** By which tests may name it. */
  names: readonly string[];
  /** What it takes of the values of a test; null: the prompt is all that it is told. */
  reads: ReadValues | null;
}

/** The tests as cases of one prompt. What asserts nothing is asked all the same; what has lost all that it asserts is a draft. */
export function casesOf(
  tests: readonly ImportedTest[],
  prompt: ImportedPrompt,
  { remarks, answering, keepPicture }: { remarks: Remarks; answering: Answering; keepPicture: KeepPicture },
): ImportedCase[] {
  let length = 0;
  const isOneTalk = answering.isModel && takesUpTalk(prompt);
  const cases = tests.filter(isAskedOf(prompt, answering)).flatMap((test) => {
    const said = withPictures(saidIn(test, prompt, answering), { test, prompt, answering, keepPicture });
    length += said.ok ? said.texts.join('').length : 0;
    const why = said.ok ? (length > mostText ? 'its suite would be longer than 3 MB' : undefined) : said.reason;
    if (!said.ok || why !== undefined) {
      remarks.add(test.source, test.path, `no case of prompt ${prompt.name}: ${why}`);
      return [];
    }
    const written = caseOf(test, said, { prompt, answering, remarks });
    if (!hasUnreadable(written)) return [written];
    remarks.note(test.source, test.path, 'a control character in it became a space');
    return [mended(written)];
  });
  return isOneTalk ? talksOf(cases) : cases;
}

/** What was said before is a value of its own in promptfoo. */
const takesUpTalk = ({ whole }: ImportedPrompt): boolean => whole.includes('_conversation');

/** Tests of one conversation as the turns of one case. */
function talksOf(cases: readonly ImportedCase[]): ImportedCase[] {
  const talks = Map.groupBy(cases, ({ metadata }) => JSON.stringify(metadata?.conversationId));
  return [...talks.values()].flatMap((talk) => {
    const [first, ...others] = talk;
    if (first === undefined || others.length === 0) return talk;
    const { input: _input, expected_behavior: _expected, ...shared } = first;
    const turns = talk.flatMap(({ input, expected_behavior }) =>
      input === undefined || expected_behavior === undefined ? [] : [{ user: input, expected_behavior }],
    );
    const measures = talk.flatMap((one) => one.measures ?? []);
    const isDraft = talk.some(({ status }) => status === 'draft');
    const isLiteral = talk.some(({ literal }) => literal === true);
    return [
      {
        ...shared,
        ...(isLiteral ? { literal: true as const } : {}),
        ...(isDraft ? { status: 'draft' as const } : {}),
        ...(measures.length === 0 ? {} : { measures }),
        turns,
      },
    ];
  });
}

const isAskedOf =
  ({ ids }: ImportedPrompt, { names }: Answering) =>
  ({ prompts, providers }: ImportedTest): boolean =>
    (prompts?.some((one) => isMeant(one, ids)) ?? true) && (providers?.some((one) => isMeant(one, names)) ?? true);

/** A test may name whom it is for by a whole name, by `openai` for all of `openai:…`, or with a `*` at its end. */
export const isMeant = (wanted: string, names: readonly string[]): boolean =>
  names.some(
    (name) =>
      name === wanted ||
      name.startsWith(`${wanted}:`) ||
      (wanted.endsWith('*') && name.startsWith(wanted.slice(0, -1))),
  );

type Said =
  | {
      ok: true;
      texts: string[];
      /** Of the messages; absent: those of the prompt. */
      roles?: ImportedPrompt['messages'][number]['role'][];
      files?: Record<string, unknown>[];
    }
  | { ok: false; reason: string };

/** Keeps the bytes of a picture and tells where they are. */
export type KeepPicture = (mediaType: string, bytes: Buffer) => string;

interface Picturing {
  test: ImportedTest;
  prompt: ImportedPrompt;
  answering: Answering;
  keepPicture: KeepPicture;
}

/** The same with the pictures of the prompt, which a provider that is no model has in its text. */
function withPictures(said: Said, { test, prompt, answering, keepPicture }: Picturing): Said {
  if (!said.ok || !answering.isModel || prompt.pictures === undefined) return said;
  const files: Record<string, unknown>[] = [];
  for (const picture of prompt.pictures) {
    const filled = renderTemplate('url' in picture ? picture.url : picture.base64, test.values);
    if (!filled.ok) return filled;
    const file = pictureFile(picture, filled.text.trim(), keepPicture);
    if (typeof file === 'string') return { ok: false, reason: file };
    files.push(file);
  }
  return files.length > mostPictures ? { ok: false, reason: 'it has too many pictures' } : { ...said, files };
}

const mostPictures = 10;

function pictureFile(picture: Picture, text: string, keepPicture: KeepPicture): Record<string, unknown> | string {
  if ('base64' in picture) {
    if (!/^[A-Za-z0-9+/]+=*$/.test(text)) return 'a picture of it is not in base64';
    return { path: keepPicture(picture.mediaType, Buffer.from(text, 'base64')), type: 'image' };
  }
  return text.startsWith('https://') ? { url: text, type: 'image' } : 'a picture of it is at no public address';
}

/** Why nothing can be asked: the prompt, or whoever is asked, takes a value that is left out. */
function whyUnasked({ values, lost }: ImportedTest, prompt: ImportedPrompt, reads: ReadValues | null) {
  const { code = '', templates = [] } = reads ?? {};
  return lostIn(lost, [prompt.whole, ...templates]) ?? lostInCode({ values, lost }, code);
}

/** What is said, message after message. */
function saidIn(test: ImportedTest, prompt: ImportedPrompt, { isModel, reads }: Answering): Said {
  const { values: given, lost } = test;
  const reason = whyUnasked(test, prompt, reads);
  if (reason !== undefined) return { ok: false, reason };
  const known = filledValues(given, prompt);
  if (!known.ok) return known;
  const { values } = known;
  if (takesUpTalk(prompt) && !(isModel && isUsualTalk(prompt, values)))
    return { ok: false, reason: 'it puts what was said before together in a way of its own' };
  if (isModel && prompt.isRendered) return saidInChat(values, prompt, lost);
  const templates = isModel ? [...prompt.messages.map(({ content }) => content), prompt.input] : [prompt.whole];
  const data = isModel ? undefined : dataOf(prompt);
  const filled = data ? [renderData(data, values)] : templates.map((text) => renderTemplate(text, values));
  return saidOf(filled, lost);
}

function saidOf(filled: readonly Rendered[], lost: readonly string[]): Said {
  const broken = filled.find((one) => !one.ok);
  if (broken?.ok === false) return broken;
  const texts = filled.flatMap((one) => (one.ok ? one.text : []));
  if (texts.some((text) => !/\S/.test(text))) return { ok: false, reason: 'a message of it is empty' };
  // A value may name one that is left out, too.
  const reason = lostIn(lost, texts);
  return reason === undefined ? { ok: true, texts } : { ok: false, reason };
}

function dataOf({ whole }: ImportedPrompt): object | undefined {
  const data = parseJson(whole);
  return typeof data === 'object' && data !== null ? data : undefined;
}

/** A prompt of JSON has the values within its texts, whatever stands in them, and is written anew. */
function renderData(data: object, values: Readonly<Record<string, unknown>>): Rendered {
  let broken: Rendered | undefined;
  const fill = (_key: string, value: unknown): unknown => {
    const rendered = typeof value === 'string' ? renderTemplate(value, values) : undefined;
    if (rendered?.ok === false) broken ??= rendered;
    return rendered?.ok === true ? rendered.text : value;
  };
  const text = JSON.stringify(data, fill, 2);
  return broken ?? { ok: true, text };
}

/** A value may be a template of others. It is filled in where the prompt is a text and all of them are there, as promptfoo has it. */
function filledValues(
  values: Readonly<Record<string, unknown>>,
  { whole }: ImportedPrompt,
): { ok: true; values: Readonly<Record<string, unknown>> } | { ok: false; reason: string } {
  if (parseJson(whole) !== undefined) return { ok: true, values };
  const used = namesIn(whole);
  const filled = new Map<string, unknown>();
  for (const [name, value] of Object.entries(values)) {
    if (typeof value !== 'string' || !used.includes(name) || !isFilled(value, values)) continue;
    const rendered = renderTemplate(value, values);
    if (!rendered.ok) return { ok: false, reason: `the value of ${name}: ${rendered.reason}` };
    filled.set(name, rendered.text);
  }
  return { ok: true, values: { ...values, ...Object.fromEntries(filled) } };
}

/** Whether a value is a template whose names all have a value; any other stays as it is. */
function isFilled(text: string, values: Readonly<Record<string, unknown>>): boolean {
  const isOpen = /\{%[^%]*$|\{\{[^}]*$|\{#[^#]*$/m.test(text);
  const roots = [...text.matchAll(/\{\{-?\s*([A-Za-z_]\w*)/g)].map(([, root = '']) => root);
  return isTemplate(text) && !isOpen && roots.every((root) => root === 'env' || Object.hasOwn(values, root));
}

/** A chat whose messages are made of the values of the test; its system message belongs to the agent, and is one for all. */
function saidInChat(values: Readonly<Record<string, unknown>>, prompt: ImportedPrompt, lost: readonly string[]): Said {
  const chat = renderChat(prompt, { ...values, _conversation: [] });
  if (!chat.ok) return chat;
  if (chat.instructions !== prompt.instructions)
    return { ok: false, reason: 'its system message differs from that of other tests' };
  const texts = chat.said.map(({ content }) => content);
  const reason = lostIn(lost, texts);
  if (reason !== undefined) return { ok: false, reason };
  return { ok: true, texts, roles: chat.said.map(({ role }) => (role === 'assistant' ? 'assistant' : 'user')) };
}

/** Whether the template says of what was said before just that: question and answer in turn, in front of the new question. */
function isUsualTalk(prompt: ImportedPrompt, values: Readonly<Record<string, unknown>>): boolean {
  const said = { input: 'QUESTION', prompt: [{ role: 'user', content: 'QUESTION' }], output: 'ANSWER' };
  const [without, chat] = [[], [said]].map((talk) => renderChat(prompt, { ...values, _conversation: talk }));
  if (without?.ok !== true || chat?.ok !== true) return false;
  const usual = [{ role: 'user', content: 'QUESTION' }, { role: 'assistant', content: 'ANSWER' }, ...without.said];
  const told = (messages: readonly { role: string; content: string }[]): string =>
    JSON.stringify(messages.map(({ role, content }) => [role, content]));
  return told(chat.said) === told(usual);
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

interface Telling {
  prompt: ImportedPrompt;
  answering: Answering;
  remarks: Remarks;
}

function caseOf(
  test: ImportedTest,
  { texts: said, roles, files }: Extract<Said, { ok: true }>,
  { prompt, answering, remarks }: Telling,
): ImportedCase {
  const { name, metadata } = test;
  const { isDraft, expected, measures } = expectedBy(test, remarks);
  const before = roles?.slice(0, -1) ?? prompt.messages.map(({ role }) => role);
  const messages = before.map((role, at) => ({ role, content: said[at] ?? '' }));
  return {
    name,
    ...(answering.isModel && messages.length > 0 ? { messages } : {}),
    input: said.at(-1) ?? '',
    ...(files === undefined ? {} : { files }),
    ...(measures.length === 0 ? {} : { measures }),
    ...(JSON.stringify([said, expected]).includes('{{') ? { literal: true as const } : {}),
    ...(isDraft ? { status: 'draft' as const } : {}),
    ...(metadata === undefined ? {} : { metadata }),
    expected_behavior: { checks: expected },
  };
}

function expectedBy({ checks, isCut, source, path }: ImportedTest, remarks: Remarks) {
  const isDraft = checks.length === 0 && isCut;
  if (isDraft) remarks.add(source, path, 'nothing that it asserts is translated: the case is a draft');
  else if (checks.length === 0) remarks.note(source, path, 'it asserts nothing: the case asks for any answer');
  const plain = checks.filter((check) => !isMetric(check));
  return { isDraft, expected: plain.length === 0 ? [anything] : plain, measures: checks.filter(isMetric) };
}

/** A case has to expect something. */
const anything: ImportedCheck = { type: 'length', min: 1 };
