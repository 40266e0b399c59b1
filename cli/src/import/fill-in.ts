export type FilledIn = { ok: true; text: string } | { ok: false; reason: string };

const expression = /\{\{-?\s*([\s\S]*?)\s*-?\}\}/g;

/** Whether a text has a place for a value, or more of the template language than that. */
export const isTemplate = (text: string): boolean => /\{\{|\{%|\{#/.test(text);

/** A text with the values of a test. Only plain names are filled in: filters, conditions and loops are programs. */
export function fillIn(template: string, values: Readonly<Record<string, unknown>>): FilledIn {
  if (/\{%|\{#/.test(template)) return { ok: false, reason: 'it uses template commands, {% … %}' };
  let reason: string | undefined;
  const text = template.replaceAll(expression, (whole, name: string) => {
    if (!/^[A-Za-z_]\w*$/.test(name)) reason ??= `it uses the template expression ${whole}`;
    else if (!Object.hasOwn(values, name)) reason ??= `{{${name}}} has no value`;
    return textOf(values[name]);
  });
  return reason === undefined ? { ok: true, text } : { ok: false, reason };
}

/** The text with those of its places filled in whose values are known; the others stay. */
export function fillKnown(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(expression, (whole, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : whole;
  });
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
