import { readFileSync } from 'node:fs';
import { providers } from '@proofmark/contracts/ai-configuration';
import type { KeyRing } from './choose-key.ts';

type Source = Readonly<Record<string, string | undefined>>;
export type ReadKeyRing = { ok: true; keys: KeyRing } | { ok: false; problems: string[] };

const providerOrigin = 'https://api.openai.com';
const providerUrl = `${providerOrigin}/v1`;
const keyName = /^[A-Z][A-Z0-9_]*$/;
/** Names that hold secrets of other kinds: a repository file must not be able to send them anywhere. */
const neverKeys = /^(?:DATABASE_URL|NATS_URL|PATH|HOME|GITHUB_.*|ACTIONS_.*|OIDC_.*|PROOFMARK_.*|NODE_.*)$/;

/** Where the usual key of each provider may go, as long as the operator names no other origins. */
const providerOrigins = Object.values(providers).flatMap(({ baseUrl, keyEnv }): [string, string[]][] =>
  baseUrl === undefined || keyEnv === undefined ? [] : [[keyEnv, [new URL(baseUrl).origin]]],
);

/**
 * The operator's model keys: `PROOFMARK_KEY_ENVS` lists the variables that hold keys (default OPENAI_API_KEY),
 * `PROOFMARK_KEY_ORIGINS` where each may go (`NAME=https://host,NAME=https://other`), `PROOFMARK_URL_ALLOW` the origins that
 * may be called without a key although they are private. A key may also come from a file, named by `<NAME>_FILE`.
 */
export function readKeyRing(source: Source, { allowsLoopback }: { allowsLoopback: boolean }): ReadKeyRing {
  const problems: string[] = [];
  const baseUrl = readBaseUrl(source.OPENAI_BASE_URL, problems);
  const names = readNames(source, problems);
  const values = new Map(names.map((name) => [name, readKey(source, name, problems)]));
  const origins = new Map([
    ...providerOrigins,
    ['OPENAI_API_KEY', [providerOrigin, ...baseUrl.named]],
    ...readOrigins(source, names, problems),
  ]);
  const allowed = list(source.PROOFMARK_URL_ALLOW).flatMap((url) => {
    const origin = originOf(url);
    if (origin === undefined) problems.push(`PROOFMARK_URL_ALLOW: ${url} is not an origin`);
    return origin ?? [];
  });
  if (problems.length > 0) return { ok: false, problems };
  const allowedOrigins = new Set([...allowed, ...baseUrl.named]);
  return { ok: true, keys: { values, origins, defaultBaseUrl: baseUrl.url, allowedOrigins, allowsLoopback } };
}

/** `named`: the origin, when the operator named one. */
function readBaseUrl(given: string | undefined, problems: string[]): { url: string; named: string[] } {
  if (!given) return { url: providerUrl, named: [] };
  const origin = originOf(given);
  if (origin === undefined) problems.push(`OPENAI_BASE_URL: ${given} is not an http or https URL`);
  return { url: given, named: origin === undefined ? [] : [origin] };
}

function readNames(source: Source, problems: string[]): string[] {
  const names = list(source.PROOFMARK_KEY_ENVS || 'OPENAI_API_KEY');
  for (const name of names.filter((one) => !keyName.test(one) || neverKeys.test(one))) {
    problems.push(`PROOFMARK_KEY_ENVS: ${name} cannot be the name of a model key`);
  }
  return names;
}

/** The origins of every key that is named there; they replace its defaults. */
function readOrigins(source: Source, names: readonly string[], problems: string[]): Map<string, string[]> {
  const origins = new Map<string, string[]>();
  for (const pair of list(source.PROOFMARK_KEY_ORIGINS)) {
    const [name = '', url = ''] = pair.split('=', 2);
    const origin = originOf(url);
    if (names.includes(name) && origin !== undefined) origins.set(name, [...(origins.get(name) ?? []), origin]);
    else problems.push(`PROOFMARK_KEY_ORIGINS: ${pair} is not NAME=https://host with a NAME of PROOFMARK_KEY_ENVS`);
  }
  return origins;
}

function readKey(source: Source, name: string, problems: string[]): string | undefined {
  const file = source[`${name}_FILE`];
  if (source[name] || !file) return source[name] || undefined;
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch {
    return void problems.push(`${name}_FILE: ${file} cannot be read`);
  }
}

function originOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, origin } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? origin : undefined;
}

function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
