import { isIP } from 'node:net';
import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import { isPublicAddress } from './public-address.ts';

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
