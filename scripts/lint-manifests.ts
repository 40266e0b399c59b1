// A step of `npm run check`: what a cluster would be given, rendered, and held against the schemas of its API and our own rules.
import { join } from 'node:path';
import { findKustomize, ownProblems, readManifests, render, schemaProblems } from './manifest-rules.ts';

const kubernetes = join(import.meta.dirname, '../deploy/kubernetes');
/** Together they hold every manifest. The job of migrations needs the network policies of the first. */
const installations = [
  ['overlays/small', 'migrate'],
  ['overlays/production', 'migrate'],
];

const kustomize = await findKustomize();
if (kustomize === undefined) {
  process.stdout.write(
    'SKIPPED: there is neither kubectl nor kustomize on the PATH, so nothing of deploy/kubernetes was rendered\n',
  );
} else {
  for (const folders of installations) {
    const texts = await Promise.all(folders.map((folder) => render(join(kubernetes, folder), kustomize)));
    const manifests = texts.flatMap(readManifests);
    for (const problem of [...(await schemaProblems(manifests)), ...ownProblems(manifests)]) {
      process.stdout.write(`deploy/kubernetes/${folders[0]}: ${problem}\n`);
      process.exitCode = 1;
    }
  }
}
