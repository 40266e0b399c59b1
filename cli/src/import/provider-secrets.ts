import { z } from 'zod';
import type { BridgeFile } from './bridge-files.ts';
import { copiedSecret, environmentIn, type HiddenSecret, hideSecrets, holdsSecret } from './hide-secrets.ts';
import type { At, Config, ImportedProvider } from './imported-provider.ts';

const Shown = z.object({ id: z.string(), config: z.record(z.string(), z.unknown()) });

/** A provider as it may be written down: variables stand in the places of its secrets. */
export function withoutSecrets(
  { id, label, config }: { id: string; label?: string | undefined; config: Config },
  { overrides, nameSecret }: Pick<At, 'overrides' | 'nameSecret'>,
) {
  const owner = label ?? ownerOf(typeof config.url === 'string' ? config.url : id);
  const { value, hidden } = hideSecrets({ id, config: { ...config, ...overrides } }, { owner, nameSecret });
  return { ...Shown.parse(value), hidden };
}

/** What variables for its secrets are called after: the host of a service, the file of a program. */
const ownerOf = (id: string): string => {
  const [, host] = /^(?:https?|wss?):\/\/(?:[^/@]*@)?([^/:?#]+)/.exec(id) ?? [];
  const [, file] = /([\w-]+)\.(?:py|rb|sh|[cm]?[jt]s)\b/.exec(id) ?? [];
  return host ?? file ?? 'agent';
};

interface Held {
  hidden: readonly HiddenSecret[];
  config: Config;
}

/** Secrets stay out of what is written; whoever runs it gives them, and is told their names. */
export function tellSecrets(provider: ImportedProvider, { hidden, config }: Held, { source, path, remarks }: At): void {
  const isProgram = provider.kind === 'agent' && provider.driver.type !== 'http';
  // A setting that has no counterpart takes its secrets with it.
  const written = provider.kind === 'model' ? '' : JSON.stringify([provider.driver, provider.files]);
  for (const { path: inside, name } of hidden) {
    const key = inside.at(-1) ?? '';
    // A model has its key by the name of a variable anyway.
    if (provider.kind === 'model' && inside.length === 2 && key === 'apiKey') continue;
    const allowed = isProgram ? 'PROOFMARK_PROGRAM_ENVS' : 'PROOFMARK_KEY_ENVS';
    const instead = `: set ${name}, which is asked for in its place, and name it in ${allowed}`;
    const isAsked = new RegExp(`\\b${name}\\b`).test(written);
    remarks.add(source, [...path, ...inside], `${key}: a secret is not copied${isAsked ? instead : ''}`);
  }
  if (!isProgram) return;
  tellCopied(provider.files, { source, path, remarks });
  tellReads(provider, { hidden, config }, { source, path, remarks });
}

/** What is copied as it stands is looked through all the same. */
export function tellCopied(
  files: readonly BridgeFile[],
  { source, path, remarks }: Pick<At, 'source' | 'path' | 'remarks'>,
): void {
  for (const { path: file, text } of files)
    if (holdsSecret(text)) remarks.note(source, path, `${file}: ${copiedSecret}`);
}

function tellReads(
  provider: ImportedProvider,
  { hidden, config }: Held,
  { source, path, remarks }: Pick<At, 'source' | 'path' | 'remarks'>,
): void {
  const told = new Set(hidden.map(({ name }) => name));
  const names = [...new Set(environmentIn([provider.id, config]))].filter((name) => !told.has(name));
  if (names.length > 0)
    remarks.note(
      source,
      path,
      `provider ${provider.id}: its program reads ${names.join(', ')}: name what it may read in PROOFMARK_PROGRAM_ENVS`,
    );
}
