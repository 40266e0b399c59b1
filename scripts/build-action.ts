// Writes `action/dist`, nothing else; `npm run generate` does the same among all generated files.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { actionBundles } from './bundle-action.ts';

const root = join(import.meta.dirname, '..');

for (const { path, content } of await actionBundles(root)) {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
  process.stdout.write(`${path} ${Math.ceil(content.length / 1024)} KB\n`);
}
