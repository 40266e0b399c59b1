import { z } from 'zod';

/** A table of the variables that a process reads, from the shapes that read them. */
export function environmentTable(variables: z.ZodObject): string {
  const rows = Object.entries(variables.shape).map(([name, shape]) => {
    const description = z.globalRegistry.get(shape)?.description ?? shape.description ?? '';
    // A default that depends on the machine is told in words.
    const byDefault = description.includes('Absent:') ? '' : defaultOf(shape);
    return `| \`${name}\` | ${byDefault} | ${description.replaceAll('|', '\\|')} |`;
  });
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** What an absent variable means: its default, nothing for an optional one, `required` otherwise. */
function defaultOf(shape: z.core.$ZodType): string {
  const absent = z.safeParse(shape, undefined);
  if (!absent.success) return '**required**';
  if (absent.data === undefined || absent.data === '') return '';
  if (typeof absent.data === 'object') return '';
  return `\`${typeof absent.data === 'string' ? absent.data : JSON.stringify(absent.data)}\``;
}
