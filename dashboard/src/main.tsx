import { render } from 'preact';
import { App } from './app.tsx';
import { learnViewer } from './data/session.ts';
import { guardTexts } from './parts/safe-text.ts';

guardTexts();
learnViewer();
const root = document.getElementById('app');
if (root === null) throw new Error('The page has no element app');
root.replaceChildren();
render(<App />, root);
