import { token } from './ask.ts';
import { element } from './element.ts';
import { visible } from './visible.ts';

/** What every view draws on. */
export interface Page {
  /** Replaces the content. The focus goes to it, so that a keyboard and a screen reader start there. */
  show: (title: string, ...content: Node[]) => void;
  /** One line below the content, read out by screen readers when it changes. */
  say: (text: string) => void;
  /** Asks for a token, with the reason when one was refused, and starts again when there is one. */
  askForToken: (reason: string | null) => void;
}

function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`The page has no element ${id}`);
  return found;
}

export function openPage(restart: () => void): Page {
  const content = byId('content');
  const show: Page['show'] = (title, ...nodes) => {
    document.title = `${visible(title)} · Proofmark`;
    content.replaceChildren(...nodes);
    content.focus({ preventScroll: true });
  };
  const say: Page['say'] = (text) => {
    byId('status').textContent = text;
  };
  const leave = element('button', { type: 'button' }, 'Forget the token');
  leave.addEventListener('click', () => {
    token.forget();
    restart();
  });
  const showAccount = () => byId('account').replaceChildren(...(token.read() === null ? [] : [leave]));
  const askForToken: Page['askForToken'] = (reason) => {
    // One that was refused is of no use any more: keeping it would offer to forget what nothing works with.
    token.forget();
    showAccount();
    show('Token', tokenForm(reason, restart));
  };
  showAccount();
  return { show, say, askForToken };
}

function tokenForm(reason: string | null, restart: () => void): HTMLElement {
  const input = element('input', { id: 'token', type: 'password' });
  input.autocomplete = 'off';
  input.required = true;
  input.spellcheck = false;
  const label = element('label', {}, 'API token');
  label.htmlFor = input.id;
  const explanation = 'It begins with pmk_. It stays in this tab, and is gone when the tab is closed.';
  const form = element(
    'form',
    { className: 'card' },
    element('h1', {}, 'Which token may this page use?'),
    reason === null ? null : element('p', { className: 'bad' }, reason),
    label,
    input,
    element('p', { className: 'quiet' }, explanation),
    element('button', { type: 'submit' }, 'Show runs'),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const value = input.value.trim();
    if (value === '') return;
    token.keep(value);
    restart();
  });
  queueMicrotask(() => input.focus());
  return form;
}
