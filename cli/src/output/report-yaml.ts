import { hasObeyed, screenSafe } from '@proofmark/domain/screen-safe-json';
import { Document, parseDocument, visit } from 'yaml';

/** A report, or a list of them, as YAML without keys that have no value. It back without loss, and nothing in it is obeyed by a screen or a log. */
export function renderYaml(value: unknown): string {
  const document = new Document(value, (_key, entry: unknown) => (entry === null ? undefined : entry), {
    aliasDuplicateObjects: false,
  });
  visit(document, {
    // Only between double quotes can a character be spelled out.
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && hasObeyed(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  return screenSafe(document.toString({ lineWidth: 0 }));
}

/** The value of a YAML file; undefined when it is none. References are not followed: a report has none. */
export function parseYaml(text: string): unknown {
  const document = parseDocument(text, { schema: 'core', prettyErrors: false, logLevel: 'silent' });
  if (document.errors.length > 0) return undefined;
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    // An alias: the caller only needs to know that it is no report.
    return undefined;
  }
}
