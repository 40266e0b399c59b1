/** Tokens travel encrypted, or do not leave the machine. */
export function isSecureUrl(text: string | null): boolean {
  if (text === null) return true;
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback);
}
