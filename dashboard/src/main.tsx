import { render } from 'preact';
import { App } from './app.tsx';
import { signInByLink } from './data/session.ts';
import { guardTexts } from './parts/safe-text.ts';

guardTexts();
signInByLink();
const root = document.getElementById('app');
if (root === null) throw new Error('The page has no element app');
root.replaceChildren();
render(<App />, root);
