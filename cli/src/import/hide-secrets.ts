import { redactText } from '@proofmark/domain/redact-text';
import { freeNames } from './free-names.ts';
import type { SourcePath } from './source.ts';

/** Takes up a variable of the environment, in promptfoo's own words; as a pattern that JavaScript and Python read alike. */
export const environmentPlace = String.raw`\{\{-?\s*env\.(\w+)\s*-?\}\}`;

/** The names of the variables that stand in it, in the words of promptfoo. */
export const environmentIn = (value: unknown): string[] =>
  [...(JSON.stringify(value) ?? '').matchAll(new RegExp(environmentPlace, 'g'))].map(([, name = '']) => name);

const placeOf = (name: string): string => `{{env.${name}}}`;

/** A secret that is left out, at its place: a variable of this name stands for it. */
export interface HiddenSecret {
  path: SourcePath;
  name: string;
}

/** Gives each secret the name of a variable; the same one stands for the same secret wherever it is. */
export type NameSecret = (wanted: string, secret: string) => string;

/** `known` takes up variables of its own: no secret gets the name of one of them, or it would be asked for in its place. */
export function nameSecrets(known: unknown): NameSecret {
  const freeName = freeNames((name, number) => `${name}_${number}`, environmentIn(known));
  const named = new Map<string, string>();
  return (wanted, secret) => {
    const name = named.get(secret) ?? freeName(wanted);
    named.set(secret, name);
    return name;
  };
}

/** What these words name is a secret, whatever it looks like. */
const certainWords = new Set([
  ...['secret', 'secrets', 'password', 'passwords', 'passwd', 'passphrase', 'pwd', 'credential', 'credentials'],
  ...['authorization', 'apikey', 'apikeys', 'cookie', 'cookies', 'jwt', 'pat'],
]);
/** These may also name a field to sort by, a limit or a kind: what looks like words or a number is none. */
const likelyWords = new Set(['key', 'keys', 'token', 'tokens', 'auth', 'bearer', 'signature', 'sig']);
/** Before a likely word, these make it certain: `api_key`, `accessToken`. */
const tellingWords = new Set([
  ...['api', 'access', 'secret', 'private', 'auth', 'bearer', 'refresh', 'session', 'client', 'signing', 'webhook'],
  ...['subscription', 'account', 'service', 'encryption', 'shared', 'security', 'bot', 'functions', 'id'],
]);

/** A pass after one of these is a turn, a ticket or a detour; any other is a password: `user_pass`, `DB_PASS`. */
const passWords = new Set([
  ...['first', 'second', 'third', 'last', 'final', 'next', 'one', 'two', 'three', 'single', 'double', 'multi', 'each'],
  ...['per', 'min', 'max', 'num', 'forward', 'backward', 'by', 'boarding', 'season', 'day'],
]);

const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');

type Likelihood = 'certain' | 'likely' | 'none';

/** What the last of its words says: `tokenUrl` and `api_key_env` name no secret. */
function likelihoodOf(name: string): Likelihood {
  const words = wordsOf(name);
  const last = words.at(-1) ?? '';
  const isPassword = last === 'pass' && !passWords.has(words.at(-2) ?? '');
  if (certainWords.has(last) || isPassword) return 'certain';
  if (!likelyWords.has(last)) return 'none';
  const isTold = last === 'token' && words.length === 1;
  return isTold || words.slice(0, -1).some((word) => tellingWords.has(word)) ? 'certain' : 'likely';
}

/** Whether all that is called so is a secret, whatever it looks like: `apiKey`, `tokens`, and not `key-facts` or `answer_key`. */
export const namesSecret = (name: string): boolean =>
  likelihoodOf(name) === 'certain' || /^(?:(?:key|token)s?|.*service account)$/.test(wordsOf(name).join(' '));

/** Whether a file of data is called after a secret, if only in a part of its name: `credentials-prod`, `api_keys_2`. */
export const isFileOfSecrets = (stem: string): boolean =>
  namesSecret(stem) ||
  stem === 'auth' ||
  wordsOf(stem).some(
    (word, at, words) => certainWords.has(word) || (likelyWords.has(word) && tellingWords.has(words[at - 1] ?? '')),
  );

/** Letters and digits without a space, as keys are made. */
const isRandom = (text: string): boolean => /^(?=.*\d)(?=.*[a-zA-Z])[\w.+/=:~-]{8,}$/.test(text);

/** A name of a variable in the place of a value is no secret, and neither is a value that comes from elsewhere. */
const isElsewhere = (text: string): boolean =>
  text === '' || text.includes('{{') || /^(?:file:\/\/|\$\{?\w+\}?$)/.test(text);

const isSecret = (text: string, likelihood: Likelihood): boolean =>
  !isElsewhere(text) && (likelihood === 'certain' || (likelihood === 'likely' && isRandom(text)));

const namedText = /(?<![\w-])([\w-]{1,60})["']?\s{0,9}[:=]\s{0,9}["']([^"'\n{}]{1,500})["']/g;

/** Whether a text that is copied as it stands, such as a program, holds what looks like a secret: `apiKey = 'abc'`, or `sk-…`. */
export const holdsSecret = (text: string): boolean =>
  redactText(text) !== text ||
  [...text.matchAll(namedText)].some(([, name = '', secret = '']) => isSecret(secret, likelihoodOf(name)));

export const copiedSecret = 'it holds what looks like a secret, and is copied as it stands';

/** In these, a name such as `token` describes what a model may say. */
const described = new Set(['tools', 'functions', 'response_format']);

interface Where {
  path: SourcePath;
  /** What the nearest name says. */
  key: string;
  likelihood: Likelihood;
  isDescribed: boolean;
  /** `emma:secret`. */
  isLogin?: boolean;
}

/** Where a secret stands in a value, whatever it would be called. */
export const secretsIn = (value: unknown): SourcePath[] =>
  hideSecrets(value, { owner: 'agent', nameSecret: nameSecrets(value) }).hidden.map(({ path }) => path);

/**
 * Settings of a provider without the secrets that stand in them, told by their names and by their looks; variables of the
 * environment stand in their places. `owner` begins the names of these.
 */
export function hideSecrets(
  value: unknown,
  { owner, nameSecret }: { owner: string; nameSecret: NameSecret },
): { value: unknown; hidden: HiddenSecret[] } {
  const hidden: HiddenSecret[] = [];
  const hide = (secret: string, key: string, path: SourcePath): string => {
    const name = nameSecret(variableOf(owner, key), secret);
    if (hidden.every((one) => one.name !== name)) hidden.push({ path, name });
    return placeOf(name);
  };
  const hideIn = (inner: unknown, where: Where): unknown => {
    const { path, key, likelihood } = where;
    if (typeof inner === 'string') return hideInText(inner, where, (secret, named = key) => hide(secret, named, path));
    if (typeof inner === 'number') return likelihood === 'certain' ? hide(String(inner), key, path) : inner;
    if (Array.isArray(inner))
      return inner.map((one: unknown, at) => hideIn(one, { ...withinList(where, inner[at - 1]), path: [...path, at] }));
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(
      Object.entries(inner).map(([name, one]) => [name, hideIn(one, withinObject(where, name, inner))]),
    );
  };
  const whole = hideIn(value, { path: [], key: 'secret', likelihood: 'none', isDescribed: false });
  return { value: whole, hidden };
}

/** Behind `--api-key` stands one; behind `-u` there is one after the name. */
function withinList(where: Where, before: unknown): Where {
  const flag = typeof before === 'string' ? /^--?([\w-]+)$/.exec(before)?.[1] : undefined;
  if (flag === undefined) return where;
  return { ...where, key: flag, likelihood: likelihoodOf(flag), isLogin: loginFlag.test(String(before)) };
}

/** An option of `curl` and its kin: a name and a password, with a colon between them. */
const loginFlag = /^(?:-[uU]|--(?:proxy-)?user)$/;

function withinObject({ path, key, likelihood, isDescribed }: Where, name: string, whole: object): Where {
  const inside = { path: [...path, name], isDescribed: isDescribed || described.has(name) };
  if (inside.isDescribed) return { ...inside, key: name, likelihood: 'none' };
  // `{ name: X-Api-Key, value: … }`
  const [, called] =
    name === 'value' ? (Object.entries(whole).find(([other]) => /^(?:name|key|header)$/.test(other)) ?? []) : [];
  const told = typeof called === 'string' ? called : name;
  const own = /^(?:type|kind|method)$/.test(told) ? 'none' : likelihoodOf(told);
  // What lies below `credentials` is one; a header that is named after one is one.
  const isCertain = own === 'likely' && /^headers?$/i.test(key);
  const inherits = likelihood === 'certain' && own === 'none' && !/^(?:type|kind|method)$/.test(told);
  return { ...inside, key: told, likelihood: isCertain || inherits ? 'certain' : own };
}

const scheme = /^((?:bearer|basic|token|apikey)\s+)(\S.*)$/i;

/** A number is a group of users, and `//` the rest of an address. */
const hideLogins = (text: string, flag: string, hide: (secret: string, named: string) => string): string =>
  text.replaceAll(
    new RegExp(String.raw`(${flag}["']?[^\s:"'{}]{1,100}:)(?!\/\/|\d+(?:\s|$))([^\s"'{}]+)`, 'g'),
    (_whole, before: string, secret: string) => `${before}${hide(secret, 'password')}`,
  );

function hideInText(
  text: string,
  { likelihood, isLogin = false }: Where,
  hide: (secret: string, named?: string) => string,
): string {
  if (isLogin) return hideLogins(text, '^', hide);
  const [, prefix = '', behind = text] = scheme.exec(text) ?? [];
  const isSent = prefix !== '' && /^\S{8,}$/.test(behind) && /^.+[A-Z\d=]/.test(behind) && !isElsewhere(behind);
  if (isSent || isSecret(behind, likelihood)) return `${prefix}${hide(behind)}`;
  const replaceNamed = (whole: string, name: string, before: string, secret: string, after: string): string =>
    isSecret(secret, likelihoodOf(name)) ? `${before}${hide(secret, name)}${after}` : whole;
  const named = hideLogins(text, String.raw`(?:^|\s)(?:-[uU]\s*|--(?:proxy-)?user(?:\s+|=))`, hide)
    // An address with a password, or with a key behind its `?`; a connection, whose parts stand between `;`; a form.
    .replaceAll(
      /(\w:\/\/[^\s:@/]*:)([^\s@/{}]+)@/g,
      (_whole, before: string, secret: string) => `${before}${hide(secret, 'password')}@`,
    )
    .replaceAll(/([?&;\s:"']|^)([\w.-]+)=([^&;\s{}"']+)/g, (whole, before: string, name: string, secret: string) =>
      replaceNamed(whole, name, `${before}${name}=`, secret, ''),
    )
    // JSON in a text, a header, and an option of a command.
    .replaceAll(
      /("([\w.-]+)"\s*:\s*"(?:(?:bearer|basic)\s+)?)([^"{}]+)"/gi,
      (whole, before: string, name: string, secret: string) => replaceNamed(whole, name, before, secret, '"'),
    )
    .replaceAll(
      /(\b(authorization|cookie|[\w-]{0,40}(?:api-?key|token))\s*:\s*(?:(?:bearer|basic)\s+)?)([^\s"'{}]+)/gi,
      (whole, before: string, name: string, secret: string) => replaceNamed(whole, name, before, secret, ''),
    )
    .replaceAll(/((?:^|\s)--?([\w-]+)[= ]["']?)([^\s"'{}]+)/g, (whole, before: string, name: string, secret: string) =>
      replaceNamed(whole, name, before, secret, ''),
    );
  return redactText(named, hide);
}

/** `SHOP_API_KEY` for the key of the shop; what is named like a variable already keeps its name. */
function variableOf(owner: string, key: string): string {
  const parts = /^[A-Z][A-Z\d_]{3,}$/.test(key) ? [key] : [owner, key.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')];
  const name = parts
    .join('_')
    .toUpperCase()
    .replaceAll(/[^A-Z\d]+/g, '_')
    .replaceAll(/^_|_$/g, '')
    .slice(-80);
  return /^[A-Z]/.test(name) ? name : `AGENT_${name.replace(/^_/, '')}`;
}
