import { redactText } from '@proofmark/domain/redact-text';

const masked = '[masked]';

/** Nobody is shown more of an error, and a body may have megabytes. */
const mostUnits = 64 * 1024;

/** The text without the given keys and without anything shaped like a key: providers echo keys in their errors. */
export function maskKeys(text: string, keys: readonly string[]): string {
  return redactText(maskKnownKeys(text.slice(0, mostUnits), keys)).replaceAll(
    /\bBearer\s+[\w.~+/-]{8,4096}=*/gi,
    `Bearer ${masked}`,
  );
}

/** The text without the given keys; what merely looks like a key stays, because an agent may rightly talk about keys. */
export function maskKnownKeys(text: string, keys: readonly string[]): string {
  // A key of a few characters is a placeholder of a local server, and masking it would eat ordinary words.
  return keys.reduce((rest, key) => (key.length >= 8 ? rest.replaceAll(key, masked) : rest), text);
}

/** A secret as it is, and as others write it: in base64, in an address, inside of JSON. */
export const writtenForms = (secret: string): string[] => {
  const forms = [
    secret,
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    // As a text of JSON inside of JSON.
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
  ];
  return [...new Set(forms)].toSorted((one, other) => other.length - one.length);
};
