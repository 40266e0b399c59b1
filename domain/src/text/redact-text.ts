/** Shapes of keys that must not be shown wherever they come from. Values of known secrets are masked in the runner already. */
const keyShapes: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}-----|$)/g,
  /\bgithub_pat_\w{20,255}/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,255}/g,
  /\bsk-[A-Za-z0-9_-]{16,255}/g,
  /\bpm[kr]_[A-Za-z0-9_-]{16,255}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bAIza[0-9A-Za-z_-]{35}/g,
  /\bxox[abprs]-[A-Za-z0-9-]{10,255}/g,
  /\beyJ[A-Za-z0-9_-]{10,4096}\.[A-Za-z0-9_-]{10,4096}\.[A-Za-z0-9_-]{10,4096}/g,
];

/** The text with everything that looks like a key, a token or a private key block replaced by `[redacted]`. */
export function redactText(text: string): string {
  return keyShapes.reduce((redacted, shape) => redacted.replaceAll(shape, '[redacted]'), text);
}
