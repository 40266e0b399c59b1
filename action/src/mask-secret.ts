/** Masks a secret in the log of the job, also in the forms that it takes inside headers and addresses. */
export function maskSecret(secret: string, setSecret: (text: string) => void): void {
  const forms = [secret, Buffer.from(secret).toString('base64'), encodeURIComponent(secret)];
  // GitHub masks what is empty or short as well, and then every line of the log is stars.
  for (const form of new Set(forms)) if (form.length >= 8) setSecret(form);
}
