import { visible } from './visible.ts';

type Child = Node | string | null;

/**
 * A new element with these children. Texts become text nodes and nothing is ever read as markup: most of what this page
 * shows was written by models, or by people who want to see what happens: letters that would hide or turn text are spelled.
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  {
    className,
    ...properties
  }: { className?: string | undefined } & Partial<Record<'id' | 'title' | 'type' | 'lang', string>> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (className !== undefined) made.className = className;
  for (const [property, value] of Object.entries(properties)) made.setAttribute(property, value);
  const shown = children.filter((child) => child !== null);
  made.append(...shown.map((child) => (typeof child === 'string' ? visible(child) : child)));
  return made;
}

/** A link; plain text when there is no address that may be followed. */
export function link(text: string, href: string | null): HTMLElement {
  if (href === null) return element('span', {}, text);
  const made = element('a', {}, text);
  made.href = href;
  made.rel = 'noreferrer';
  return made;
}

/** Something that can be unfolded; `fill` makes its content when that is first done. */
export function folded(summary: Child[], fill: () => Node, { isOpen = false } = {}): HTMLDetailsElement {
  const made = element('details', {}, element('summary', {}, ...summary));
  made.addEventListener('toggle', () => made.open && made.childElementCount === 1 && made.append(fill()));
  made.open = isOpen;
  return made;
}
