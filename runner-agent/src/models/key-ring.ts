import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { type ModelSettings, providers } from '@proofmark/contracts/ai-configuration';
import { isPublicAddress } from '@proofmark/process/public-address';

/** Which keys there are and where each may go. The operator's word; nothing in a repository widens it. */
export interface KeyRing {
  /** Names that a configuration may ask for, with their values; undefined: allowed, but not set. */
  values: ReadonlyMap<string, string | undefined>;
  /** The origins that each key may be sent to. */
  origins: ReadonlyMap<string, readonly string[]>;
  /** Used by configurations without a `base_url`. */
  defaultBaseUrl: string;
  /** Origins that may be called without a key although they are local or not https. */
  allowedOrigins: ReadonlySet<string>;
  /** A developer's own machine may be called; true only where the run is the developer's own. */
  allowsLoopback: boolean;
}

/** `isTrusted`: the operator named this origin, so it may lie in a private net. */
export type Endpoint =
  | { ok: true; baseUrl: string; key: string | null; isTrusted: boolean }
  | { ok: false; message: string };

const defaultKeyName = 'OPENAI_API_KEY';

/**
 * Where a call goes and with which key. A key goes only where its owner said: `base_url` and `api_key_env` stand in files
 * that a pull request can change, so a key for a foreign origin is refused, and never silently left out.
 */
export function chooseEndpoint(settings: Pick<ModelSettings, 'base_url' | 'api_key_env'>, ring: KeyRing): Endpoint {
  const baseUrl = settings.base_url ?? ring.defaultBaseUrl;
  const origin = URL.canParse(baseUrl) ? new URL(baseUrl).origin : 'null';
  if (origin === 'null') return { ok: false, message: `base_url ${baseUrl} is not a URL` };
  const name = settings.api_key_env ?? defaultKeyName;
  if (settings.api_key_env !== undefined && !ring.values.has(name)) {
    return {
      ok: false,
      message: `${name} is not a model key that this runner may use; its operator lists those in PROOFMARK_KEY_ENVS`,
    };
  }
  if (ring.origins.get(name)?.includes(origin)) return withKey(baseUrl, name, ring, settings.api_key_env !== undefined);
  if (settings.api_key_env !== undefined) {
    return {
      ok: false,
      message: `${name} may not be sent to ${origin}; its operator lists origins in PROOFMARK_KEY_ORIGINS`,
    };
  }
  return withoutKey(baseUrl, ring);
}

/** A secret of the operator for one address, or why it does not go there. */
export function secretFor(
  name: string,
  url: string,
  ring: KeyRing,
): { ok: true; value: string } | { ok: false; message: string } {
  const origin = URL.canParse(url) ? new URL(url).origin : 'null';
  const place = `PROOFMARK_KEY_ORIGINS=${name}=${origin}`;
  if (!ring.values.has(name))
    return {
      ok: false,
      message: `${name} is not a secret that may be sent from here: whoever runs the cases lists it in PROOFMARK_KEY_ENVS and says where it may go with ${place}`,
    };
  if (!ring.origins.get(name)?.includes(origin))
    return {
      ok: false,
      message: `${name} may not be sent to ${origin}; whoever runs the cases allows that with ${place}`,
    };
  const value = ring.values.get(name);
  return value === undefined ? { ok: false, message: `${name} is not set` } : { ok: true, value };
}

/** Whether a URL from a repository file may be called, always without a key. */
export function chooseKeyless(url: string, ring: KeyRing): Endpoint {
  if (!URL.canParse(url)) return { ok: false, message: `${url} is not a URL` };
  return withoutKey(url, ring);
}

function withKey(baseUrl: string, name: string, ring: KeyRing, isNamed: boolean): Endpoint {
  const key = ring.values.get(name);
  if (key === undefined && isNamed) return { ok: false, message: `${name} is not set` };
  return { ok: true, baseUrl, key: key ?? null, isTrusted: true };
}

function withoutKey(baseUrl: string, ring: KeyRing): Endpoint {
  const url = new URL(baseUrl);
  if (ring.allowedOrigins.has(url.origin)) return { ok: true, baseUrl, key: null, isTrusted: true };
  if (ring.allowsLoopback && isLoopback(url.hostname)) return { ok: true, baseUrl, key: null, isTrusted: true };
  const address = url.hostname.replace(/^\[|\]$/g, '');
  if (isLoopback(url.hostname) || (isIP(address) !== 0 && !isPublicAddress(address))) {
    return {
      ok: false,
      message: `${url.origin} is not a public address, and not listed in PROOFMARK_URL_ALLOW`,
    };
  }
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') {
    return {
      ok: false,
      message: `${url.origin} must be https without user information, or listed in PROOFMARK_URL_ALLOW`,
    };
  }
  return { ok: true, baseUrl, key: null, isTrusted: false };
}

function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '');
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}

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
