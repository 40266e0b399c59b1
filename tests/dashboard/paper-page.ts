import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { repositoryRoot } from '../stack/processes.ts';

const bundle = readFileSync(join(repositoryRoot, 'dashboard/dist/app.js'), 'utf8');

/** An element of a page that nobody draws: as much of one as the dashboard uses. Text stays text, there is no markup to parse. */
class PaperElement {
  readonly tagName: string;
  readonly attributes = new Map<string, string>();
  readonly listeners = new Map<string, ((event: { preventDefault: () => void }) => void)[]>();
  children: (PaperElement | string)[] = [];
  parent: PaperElement | null = null;
  id = '';
  value = '';
  hidden = false;

  constructor(tagName: string) {
    this.tagName = tagName;
  }
  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
    if (name === 'id') this.id = value;
  }
  append(...nodes: (PaperElement | string)[]): void {
    for (const node of nodes) if (typeof node !== 'string') node.parent = this;
    this.children.push(...nodes);
  }
  replaceChildren(...nodes: (PaperElement | string)[]): void {
    this.children = [];
    this.append(...nodes);
  }
  replaceWith(node: PaperElement): void {
    const siblings = this.parent?.children ?? [];
    node.parent = this.parent;
    siblings.splice(siblings.indexOf(this), 1, node);
  }
  addEventListener(name: string, listener: (event: { preventDefault: () => void }) => void): void {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }
  tell(name: string): void {
    for (const listener of this.listeners.get(name) ?? []) listener({ preventDefault: () => undefined });
  }
  focus(): void {
    // Nobody looks at it.
  }
  get childElementCount(): number {
    return this.children.filter((child) => typeof child !== 'string').length;
  }
  get textContent(): string {
    return this.children.map((child) => (typeof child === 'string' ? child : child.textContent)).join('');
  }
  set textContent(text: string) {
    this.children = [text];
  }
  /** This element and all below it. */
  get all(): PaperElement[] {
    return [this, ...this.children.flatMap((child) => (typeof child === 'string' ? [] : child.all))];
  }
}

export interface PaperPage {
  title: () => string;
  /** One of the places of the page: `content`, `account`, `status`. */
  at: (id: string) => PaperElement;
  storage: Map<string, string>;
  /** Unfolds what can be unfolded. */
  unfold: () => void;
}

interface Answer {
  status?: number;
  body: unknown;
}

/** The dashboard as it is shipped, on an address, with a coordinator that answers like this. */
export function openDashboard(
  answer: (query: string) => Answer,
  { path = '/', token }: { path?: string; token?: string } = {},
): PaperPage {
  const places = ['content', 'account', 'status'].map((id) => Object.assign(new PaperElement('div'), { id }));
  const storage = new Map(token === undefined ? [] : [['proofmark-token', token]]);
  const found = (test: (one: PaperElement) => boolean) => places.flatMap(({ all }) => all).find(test) ?? null;
  const document = {
    title: '',
    getElementById: (id: string) => found((one) => one.id === id),
    querySelector: (tagName: string) => found((one) => one.tagName === tagName),
    createElement: (tagName: string) => new PaperElement(tagName),
  };
  const fetched = async (_address: string, { body }: { body: string }) => {
    const { status = 200, body: said } = answer(String(JSON.parse(body).query));
    return new Response(JSON.stringify(said), { status, headers: { 'content-type': 'application/json' } });
  };
  const sessionStorage = {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => void storage.set(key, value),
    removeItem: (key: string) => void storage.delete(key),
  };
  const location = { pathname: path, origin: 'https://proofmark.example.com', host: 'proofmark.example.com' };
  const world = { document, sessionStorage, location, fetch: fetched, queueMicrotask, setTimeout, URL };
  runInContext(`(() => {${bundle}})()`, createContext({ ...world, AbortController, TextDecoderStream, Event }));
  return {
    title: () => document.title,
    storage,
    at: (id) => found((one) => one.id === id) ?? new PaperElement('missing'),
    unfold: () => {
      for (const one of places.flatMap(({ all }) => all).filter(({ tagName }) => tagName === 'details')) {
        Object.assign(one, { open: true });
        one.tell('toggle');
      }
    },
  };
}
