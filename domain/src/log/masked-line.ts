import { redactText } from '../text/redact-text.ts';
import { screenSafe } from '../text/screen-safe-json.ts';

const masked = '[masked]';
/** Shorter values are placeholders of local set-ups; masking them would eat ordinary words. */
const shortest = 8;

/** A line of a log without the given secrets, plain or as JSON writes them, without anything shaped like a key or that a screen would obey. */
export function maskedLine(line: string, secrets: readonly string[]): string {
  const forms = secrets
    .filter((secret) => secret.length >= shortest)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]);
  const known = forms.reduce((rest, form) => rest.replaceAll(form, masked), line.trimEnd());
  return `${screenSafe(redactText(known))}\n`;
}

/** User and password of a URL that a library may repeat in an error; nothing when it has none, or is no URL. */
export function secretsOfUrl(url: string | undefined): string[] {
  const parsed = url === undefined ? null : URL.parse(url);
  if (parsed === null) return [];
  // A lone user name is a token in the URLs of NATS.
  const secret = decodeURIComponent(parsed.password || parsed.username);
  return secret === '' ? [] : [secret];
}
