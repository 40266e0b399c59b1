import { formatUtc } from '@proofmark/domain/format-numbers';
import { cutMark, headOf } from '@proofmark/domain/visible-text';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useNarrow } from './narrow.ts';
import { toTop } from './route.tsx';
import { shown } from './safe-text.ts';
import type { Word } from './words.ts';

/** A state in a sign, a word and a colour. */
export function Mark({ word, title }: { word: Word; title?: string }) {
  return (
    <span class={`mark ${word.tone}`} title={title}>
      <span aria-hidden="true">{word.mark}</span> {word.text}
    </span>
  );
}

/** Says what is awaited. Nothing jumps when it comes fast: the words appear after a moment. */
export function Loading({ what }: { what: string }) {
  return (
    <p class="loading quiet" role="status">
      Loading {what}…
    </p>
  );
}

/** What went wrong, and the way on. */
export function ProblemNote({ message, onRetry }: { message: string; onRetry?: () => unknown }) {
  return (
    <div class="card problem" role="alert">
      <p>{message}</p>
      {onRetry && (
        <button type="button" onClick={() => void onRetry()}>
          Try again
        </button>
      )}
    </div>
  );
}

/** A place where something will be: what it is for, and how it comes to be. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="card empty-state">
      <p>
        <strong>{title}</strong>
      </p>
      <div class="quiet">{children}</div>
    </div>
  );
}

/** Something that is not there, or that the reader may not see: from outside both look alike. */
export function Gone({ what, children }: { what: string; children?: ComponentChildren }) {
  useTitle(`No ${what}`);
  return (
    <div class="card">
      <h1>There is no such {what}</h1>
      <p>
        It may have been removed by retention, or belong to a tenant or repository that you have no right to see. Ask
        whoever gave you the link, or sign in with another token.
      </p>
      {children}
    </div>
  );
}

/** The name of the view, in the tab and first in the page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Proofmark' : `${title} · Proofmark`;
  }, [title]);
}

const hour = 3_600_000;
const steps: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [60_000, 'minute'],
  [hour, 'hour'],
  [24 * hour, 'day'],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

function ago(time: string): string {
  const ms = Date.parse(time) - Date.now();
  const [unit, name] = steps.findLast(([size]) => Math.abs(ms) >= size) ?? [];
  if (unit === undefined || name === undefined) return 'just now';
  if (Math.abs(ms) > 14 * 24 * hour) return formatUtc(time).slice(0, 10);
  return relative.format(Math.round(ms / unit), name);
}

/** A moment as people say it; the exact time is one hover away, and in the text for programs. */
export function When({ time }: { time: string }) {
  return (
    <time dateTime={time} title={formatUtc(time)}>
      {ago(time)}
    </time>
  );
}

const mostUnits = 8_000;

/** Text of others with its line breaks. What is very long waits for a click: two megabytes stay text, and the page stays quick. */
export function LongText({ text, label }: { text: string; label?: string }) {
  const [isWhole, setWhole] = useState(false);
  // Before it is cut: half a key is one that nothing recognises.
  const safe = useMemo(() => shown(text), [text]);
  if (safe.trim() === '') return <p class="quiet">(empty)</p>;
  const head = headOf(safe, mostUnits);
  return (
    <>
      <pre dir="auto" tabIndex={0} role="group" aria-label={label}>
        {isWhole
          ? inPieces(safe).map((piece, at) => (
              <span class="piece" key={`${at}`}>
                {piece}
              </span>
            ))
          : head}
      </pre>
      {!isWhole && head.length < safe.length && (
        <button type="button" onClick={() => setWhole(true)}>
          Show all {cutMark(safe.length - head.length).replace('… ', '')}
        </button>
      )}
    </>
  );
}

/** A long text in blocks that end with a line, of which a browser lays out those that are seen. One line of all of it would take it minutes. */
function inPieces(text: string): string[] {
  const pieces: string[] = [];
  for (let rest = text; rest !== ''; rest = rest.slice(pieces.at(-1)?.length)) {
    const head = headOf(rest, mostUnits);
    const end = head.lastIndexOf('\n') + 1;
    pieces.push(end === 0 || head.length === rest.length ? head : head.slice(0, end));
  }
  return pieces;
}

/** Names and values in a row, those that are not known left out. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren] | null)[] }) {
  return (
    <dl class="facts">
      {facts.map(
        (fact) =>
          fact !== null &&
          fact[1] !== null && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

const copyWords = { new: 'Copy', copied: 'Copied', selected: 'Press Ctrl+C' } as const;

/** Copies a text. Where a browser gives no page its clipboard, as over plain HTTP, the text is selected, and the reader copies it. */
export function CopyButton({ text, label, select }: { text: string; label: string; select: () => void }) {
  const [state, setState] = useState<keyof typeof copyWords>('new');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setState('copied');
    } catch {
      select();
      setState('selected');
    }
  };
  return (
    <button type="button" aria-label={state === 'new' ? `Copy ${label}` : undefined} onClick={() => void copy()}>
      {copyWords[state]}
    </button>
  );
}

/** A text with a button that copies it. */
export function Copyable({ text, label }: { text: string; label: string }) {
  const shownAt = useRef<HTMLElement>(null);
  const select = (): void => {
    if (shownAt.current !== null) getSelection()?.selectAllChildren(shownAt.current);
  };
  return (
    <div class="copyable">
      <code ref={shownAt}>{text}</code>
      <CopyButton text={text} label={label} select={select} />
    </div>
  );
}

/** What is only of use to some waits behind its name. Its content is made when it is opened first. */
export function Folded({
  summary,
  isOpen = false,
  children,
}: {
  summary: ComponentChildren;
  isOpen?: boolean;
  children: () => ComponentChildren;
}) {
  const [wasOpened, setOpened] = useState(isOpen);
  return (
    <details open={isOpen} onToggle={(event) => event.currentTarget.open && setOpened(true)}>
      <summary>{summary}</summary>
      {wasOpened && <div class="inside">{children()}</div>}
    </details>
  );
}

/** What narrows a list down, beside what is used most. On a phone it waits behind a word, unless it is in use. */
export function MoreFilters({ isUsed, children }: { isUsed: boolean; children: ComponentChildren }) {
  const isNarrow = useNarrow();
  const [isOpen, setOpen] = useState(isUsed);
  if (!isNarrow) return <>{children}</>;
  return (
    <>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Fewer filters' : 'More filters'}
      </button>
      {isOpen && children}
    </>
  );
}

type Step = readonly [text: string, go: () => void];

/** The way through a list with pages. */
export function Pages({ first, next }: { first: Step | null; next: Step | null }) {
  const steps = [first, next].filter((step) => step !== null);
  if (steps.length === 0) return null;
  return (
    <p class="buttons">
      {steps.map(([text, onClick]) => (
        <button
          key={text}
          type="button"
          onClick={() => {
            onClick();
            toTop();
          }}
        >
          {text}
        </button>
      ))}
    </p>
  );
}
