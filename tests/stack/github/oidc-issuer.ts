import { randomUUID } from 'node:crypto';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export const issuerPath = '/_services/token';

type Claims = Record<string, unknown>;
type Key = { id: string; privateKey: CryptoKey; publicJwk: JWK };

/** The issuer of the tokens with which jobs prove who they are. */
export class OidcIssuer {
  readonly issuer: string;
  #keys: Key[];
  readonly #jobs = new Map<string, Claims>();

  constructor(issuer: string, key: Key) {
    this.issuer = issuer;
    this.#keys = [key];
  }

  static async create(origin: string): Promise<OidcIssuer> {
    return new OidcIssuer(`${origin}${issuerPath}`, await newKey());
  }

  /** Tokens are signed by a new key from now on; the old one leaves the JWKS. */
  async rotateKey(): Promise<void> {
    this.#keys = [await newKey()];
  }

  /** The two variables that a job with `id-token: write` finds in its environment. */
  allowJob(claims: Claims): { ACTIONS_ID_TOKEN_REQUEST_URL: string; ACTIONS_ID_TOKEN_REQUEST_TOKEN: string } {
    const requestToken = `request-${randomUUID()}`;
    this.#jobs.set(requestToken, claims);
    return {
      ACTIONS_ID_TOKEN_REQUEST_URL: `${this.issuer}/request?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
    };
  }

  /** A signed token; claims given here replace the usual ones, undefined removes one. For tests of each rule broken alone. */
  async sign(claims: Claims): Promise<string> {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('the issuer has no key');
    const now = Math.floor(Date.now() / 1_000);
    const usual = { iss: this.issuer, jti: randomUUID(), iat: now, nbf: now - 300, exp: now + 300 };
    return new SignJWT({ ...usual, ...claims })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.id })
      .sign(key.privateKey);
  }

  jwks(): { keys: JWK[] } {
    return { keys: this.#keys.map(({ publicJwk }) => publicJwk) };
  }

  claimsOfJob(requestToken: string): Claims | undefined {
    return this.#jobs.get(requestToken);
  }
}

async function newKey(): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const id = randomUUID();
  return { id, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid: id, use: 'sig', alg: 'RS256' } };
}
