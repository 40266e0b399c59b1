import type { IncomingMessage } from 'node:http';

/** How browsers are signed in: by a cookie that no script reads and that only pages of this coordinator send. */
export interface Browser {
  /** The secret of the session; null without one. */
  sessionOf: (request: IncomingMessage) => string | null;
  /** The header that signs in until a moment. */
  keep: (secret: string, expiresAt: Date) => string;
  /** The header that signs out. */
  forget: () => string;
  /** What a browser keeps while it is with a provider, from which it comes back with this cookie; and the headers for it. */
  flowOf: (request: IncomingMessage) => string | null;
  keepFlow: (flow: string) => string;
  forgetFlow: () => string;
  /**
   * Whether a page of another origin sends this. A browser says where a request comes from; what says nothing is no browser, and
   * has no cookie but one that its owner gave it.
   */
  isForeign: (request: IncomingMessage) => boolean;
}

export function browserOf(publicUrl: string, now: () => number): Browser {
  const { protocol, origin } = new URL(publicUrl);
  const isSecure = protocol === 'https:';
  // The prefix is a promise of the browser: set over TLS, for this host alone, for all of its paths.
  const name = `${isSecure ? '__Host-' : ''}proofmark`;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  const flowName = `${name}-sign-in`;
  const ofFlow = attributes.replace('Strict', 'Lax');
  return {
    sessionOf: (request) => cookieOf(request, name),
    keep: (secret, expiresAt) => {
      const seconds = Math.max(0, Math.floor((expiresAt.getTime() - now()) / 1000));
      return `${name}=${secret}; Max-Age=${seconds}; ${attributes}`;
    },
    forget: () => `${name}=; Max-Age=0; ${attributes}`,
    flowOf: (request) => cookieOf(request, flowName),
    keepFlow: (flow) => `${flowName}=${flow}; Max-Age=600; ${ofFlow}`,
    forgetFlow: () => `${flowName}=; Max-Age=0; ${ofFlow}`,
    isForeign: ({ headers }) => {
      const site = headers['sec-fetch-site'];
      if (site !== undefined) return site !== 'same-origin' && site !== 'none';
      if (headers.origin === undefined) return false;
      return headers.origin !== origin && URL.parse(headers.origin)?.host !== headers.host;
    },
  };
}

/** The value of a cookie; null where there is none, or two of one name: then nobody knows which one is ours. */
function cookieOf({ headers }: IncomingMessage, name: string): string | null {
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  return values.length === 1 ? (values[0] ?? null) : null;
}
