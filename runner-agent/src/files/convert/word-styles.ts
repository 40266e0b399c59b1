import { readXml } from './read-xml.ts';

/** The level of every paragraph style that is a heading, by the id of the style; names differ between languages, these do not. */
export function readHeadings(bytes: Buffer | undefined): Map<string, number> {
  const levels = new Map<string, number>();
  let style = '';
  if (!bytes) return levels;
  readXml(bytes, {
    open: ({ name, attributes }) => {
      if (name === 'style') style = attributes.get('styleId') ?? '';
      const level = levelOf(name, attributes.get('val') ?? '');
      if (level >= 1 && level <= 9 && !levels.has(style)) levels.set(style, Math.min(level, 6));
      return undefined;
    },
  });
  return levels;
}

/** 0: no heading. */
function levelOf(element: string, value: string): number {
  if (element === 'outlineLvl') return Number(value) + 1;
  if (element !== 'name') return 0;
  return /^title$/i.test(value) ? 1 : Number(/^heading (\d)$/i.exec(value)?.[1] ?? 0);
}

/** Lists whose first level counts, by id; the others have bullets. */
export function readNumberedLists(bytes: Buffer | undefined): Set<string> {
  const countingForms = new Set<string>();
  const numbered = new Set<string>();
  let form = '';
  let list = '';
  let isFirstLevel = false;
  if (!bytes) return numbered;
  const openers = new Map<string, (attribute: (name: string) => string) => void>([
    ['abstractNum', (attribute) => (form = attribute('abstractNumId'))],
    ['lvl', (attribute) => (isFirstLevel = attribute('ilvl') === '0')],
    ['num', (attribute) => (list = attribute('numId'))],
    ['abstractNumId', (attribute) => countingForms.has(attribute('val')) && numbered.add(list)],
    [
      'numFmt',
      (attribute) => isFirstLevel && !['bullet', 'none'].includes(attribute('val')) && countingForms.add(form),
    ],
  ]);
  readXml(bytes, {
    open: ({ name, attributes }) => {
      openers.get(name)?.((attribute) => attributes.get(attribute) ?? '');
      return undefined;
    },
  });
  return numbered;
}
