import { redactText } from '@proofmark/domain/redact-text';
import { visibleText } from '@proofmark/domain/visible-text';
import { options, type VNode } from 'preact';

/** Attributes that are read to people. */
const readAttributes = ['title', 'aria-label', 'alt', 'placeholder'] as const;

/** Text of others as it may be shown: keys gone, and what would hide or turn text round is spelled. */
export const shown = (text: string): string => visibleText(redactText(text));

/**
 * From here on every text of this page comes through `shown`, whoever forgets it: most of what is here was written by models,
 * or by people who want to see what happens. Preact makes text nodes of texts, so none is read as markup.
 */
export function guardTexts(): void {
  // Signals hang there too.
  const before = { ...options };
  options.vnode = (vnode) => {
    guard(vnode);
    before.vnode?.(vnode);
  };
}

function guard(vnode: VNode): void {
  // A text node has no type and its text in place of properties.
  const node: { type: unknown; props: unknown } = vnode;
  if (typeof node.props === 'string') {
    node.props = shown(node.props);
    return;
  }
  if (typeof node.type !== 'string' || typeof node.props !== 'object' || node.props === null) return;
  const props = node.props as Record<string, unknown>;
  for (const name of readAttributes) {
    const value = props[name];
    if (typeof value === 'string') props[name] = shown(value);
  }
  if ('dangerouslySetInnerHTML' in props) throw new Error('Nothing here is read as markup.');
}
