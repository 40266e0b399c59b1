import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';

/** Where the reader is: the address is the only place that knows. */
export const place = signal(read());

function read(): { path: string; search: URLSearchParams } {
  const { pathname, search } = window.location;
  return { path: pathname, search: new URLSearchParams(search) };
}

addEventListener('popstate', () => {
  place.value = read();
});

/** Goes to another view; the focus follows, so that a keyboard and a screen reader start there. */
export function go(href: string): void {
  history.pushState(null, '', href);
  place.value = read();
  toTop();
}

/** Where a reader starts who sees something else now. */
export function toTop(): void {
  scrollTo(0, 0);
  document.getElementById('content')?.focus({ preventScroll: true });
}

/** Changes what the view shows, without a step back for each letter that is typed. Empty values go. */
export function setSearch(changes: Readonly<Record<string, string | null>>): void {
  const search = new URLSearchParams(place.peek().search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') search.delete(name);
    else search.set(name, value);
  }
  const text = search.toString();
  history.replaceState(null, '', text === '' ? location.pathname : `?${text}`);
  place.value = read();
}

interface LinkProps {
  to: string;
  children: ComponentChildren;
  class?: string;
  title?: string | undefined;
  'aria-current'?: 'page' | undefined;
}

/** A way to another view of this page. Whoever wants it in another tab gets it there. */
export function Link({ to, children, ...rest }: LinkProps) {
  const onClick = (event: MouseEvent): void => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a href={to} onClick={onClick} {...rest}>
      {children}
    </a>
  );
}

/** A way out of this page; plain text when there is no address that may be followed. */
export function OutLink({ to, children }: { to: string | null; children: ComponentChildren }) {
  if (to === null) return <span>{children}</span>;
  return (
    <a href={to} rel="noreferrer">
      {children}
    </a>
  );
}

const enc = encodeURIComponent;

/** Where each thing is. */
export const paths = {
  run: (id: string) => `/runs/${id}`,
  suiteRun: (id: string) => `/suite-runs/${id}`,
  caseOf: (suiteRunId: string, caseName: string, repetition?: number) =>
    `/suite-runs/${suiteRunId}/cases/${enc(caseName)}${repetition === undefined ? '' : `?repetition=${repetition}`}`,
  testRun: (id: string) => `/test-runs/${id}`,
  suite: (id: string, cell?: string) => `/suites/${id}${cell === undefined ? '' : `?cell=${enc(cell)}`}`,
  compare: (base: string, head: string) => `/compare?base=${base}&head=${head}`,
};
