import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { buildSchema, parse as parseGraphql, validate } from 'graphql';
import { parse } from 'yaml';
import { z } from 'zod';
import { published } from '../../contracts/src/identity/published-names.ts';
import { repositoryRoot } from '../stack/processes.ts';
import { fencedBlocks, pages } from './pages.ts';

/** A program as it was called: in which folder, with which words. */
export interface Call {
  folder: string;
  program: string;
  words: readonly string[];
}

type Rule = (call: Call) => string | undefined;

/**
 * Programs that pages call and that no test has, because they need a cluster, a container engine, GitHub, the registry or a clone.
 * Each says what is wrong with a call: what it names has to be there.
 */
const rules: Record<string, Rule> = {
  'proofmark-coordinator': ({ words: [word = '', ...rest] }) => {
    const unknown =
      word === 'github-app' ? rest.filter((one) => /^--/.test(one) && !usageOfApp.includes(`  ${one} `)) : [];
    return unless(unknown.length === 0, `github-app has no ${unknown.join(', ')}`);
  },
  'proofmark-runner': ({ words }) => unless(words.length === 0, 'it takes no words'),
  npm: ({ words: [verb = '', ...rest] }) => {
    if (verb === 'test') return undefined;
    if (verb === 'run') return unless(Object.hasOwn(scripts, rest[0] ?? ''), `there is no script ${rest[0]}`);
    const isInstall = verb === 'install' && rest[0] === '--global' && ours.includes(rest[1] ?? '');
    return unless(isInstall, 'it is neither a script nor one of our packages');
  },
  docker: (call) => {
    const [verb = '', ...rest] = call.words;
    if (verb === 'run') return undefined;
    if (verb === 'build') return buildFault(call);
    return verb === 'compose' ? composeFault({ ...call, words: rest }) : 'no page needs that';
  },
  kubectl: ({ folder, words }) => {
    const [verb = '', ...rest] = words[0] === '-n' ? words.slice(2) : words;
    if (verb === 'apply') return manifestFault(folder, rest);
    if (verb === 'create' && rest[0] === 'secret' && rest[1] === 'generic') return secretFault(rest.slice(2));
    if (verb !== 'wait') return 'no page needs that';
    const job = rest.find((word) => word.startsWith('job/'))?.slice('job/'.length) ?? '';
    return unless(
      manifests.includes(`name: ${job}\n`) || manifests.includes(`name: ${job},`),
      `there is no job ${job}`,
    );
  },
  gh: ({ words: [area, verb, file = '', ...rest] }) => {
    if (area !== 'workflow' || verb !== 'run' || file !== 'proofmark.yml')
      return 'init writes one workflow: proofmark.yml';
    const inputs = rest.filter((word) => word !== '--field').map((word) => word.split('=')[0] ?? '');
    const unknown = inputs.filter((input) => !dispatchInputs().has(input));
    return unless(unknown.length === 0, `no workflow of a page has the input ${unknown.join(', ')}`);
  },
  cosign: ({ words }) => {
    const image = words.find((word) => word.startsWith(`${published.imageRegistry}/`)) ?? '';
    const isOurs = ours.includes(basename(image).split(':')[0] ?? '');
    const [, workflow = ''] = /\/proofmark\/(\.github\/workflows\/[\w.-]+)@/.exec(words.join(' ')) ?? [];
    if (!isOurs) return `${image} is no image of ours`;
    return unless(workflow !== '' && existsSync(join(repositoryRoot, workflow)), `no release is made by ${workflow}`);
  },
  curl: ({ words }) => {
    const at = words.indexOf('-d');
    const body = z.looseObject({ query: z.string() }).safeParse(parsed(words[at + 1] ?? ''));
    return body.success ? graphqlFault(body.data.query) : 'its body is no question to a coordinator';
  },
  pg_dump: ({ words }) =>
    unless(backup.includes('pg_dump --format custom') && words[0] === '--format=custom', 'unlike backup.sh'),
  pg_dumpall: ({ words }) => unless(backup.includes(`pg_dumpall ${words[0]} `), 'unlike backup.sh'),
};

export const standIns: readonly string[] = Object.keys(rules);

export const callFault = (call: Call): string | undefined => rules[call.program]?.(call);

/** What a coordinator would not understand of an operation. */
function graphqlFault(text: string): string | undefined {
  const schema = buildSchema(read('schema.graphql'));
  const errors = validate(schema, parseGraphql(text));
  return unless(errors.length === 0, errors.map(({ message }) => message).join('; '));
}

const unless = (holds: boolean, fault: string): string | undefined => (holds ? undefined : fault);
const read = (path: string): string => readFileSync(join(repositoryRoot, path), 'utf8');
const { scripts } = z
  .looseObject({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(read('package.json')));
/** Images are called like the packages that they hold. */
const ours: readonly string[] = Object.values(published.packages);
const backup = read('deploy/backup.sh');
const usageOfApp = read('coordinator/src/github-app-main.ts');
const manifests = globSync('deploy/{kubernetes,nats}/**/*.yaml', { cwd: repositoryRoot }).map(read).join('\n');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The word behind an option. */
const wordBehind = (words: readonly string[], ...names: string[]): string | undefined =>
  words.find((_, at) => names.includes(words[at - 1] ?? ''));

function buildFault({ folder, words }: Call): string | undefined {
  const file = resolve(folder, wordBehind(words, '-f') ?? '');
  if (!existsSync(file)) return `there is no ${file}`;
  const target = wordBehind(words, '--target');
  return unless(readFileSync(file, 'utf8').includes(` AS ${target}\n`), `the container file has no stage ${target}`);
}

function composeFault({ folder, words }: Call): string | undefined {
  const files = words.filter((_, at) => words[at - 1] === '-f');
  const missing = (files.length === 0 ? ['compose.yaml'] : files).filter((file) => !existsSync(resolve(folder, file)));
  if (missing.length > 0) return `there is no ${missing.join(', ')}`;
  const text = readFileSync(resolve(folder, 'compose.yaml'), 'utf8');
  const { services } = z.looseObject({ services: z.record(z.string(), z.unknown()) }).parse(parse(text));
  const scaled = wordBehind(words, '--scale')?.split('=')[0];
  if (scaled !== undefined && !Object.hasOwn(services, scaled)) return `there is no service ${scaled}`;
  // What it would not start without.
  const given = ['.env'].flatMap((file) =>
    existsSync(resolve(folder, file)) ? readFileSync(resolve(folder, file), 'utf8') : '',
  );
  const wanted = new Set(Array.from(text.matchAll(/\$\{(\w+):\?/g), ([, name = '']) => name));
  const absent = [...wanted].filter((name) => !new RegExp(`^${name}=.`, 'm').test(given.join('')));
  return unless(absent.length === 0, `.env does not say ${absent.join(', ')}`);
}

function manifestFault(folder: string, words: readonly string[]): string | undefined {
  const file = wordBehind(words, '-f');
  const kustomization = wordBehind(words, '-k');
  const path = resolve(folder, file ?? join(kustomization ?? '', 'kustomization.yaml'));
  return unless((file ?? kustomization) !== undefined && existsSync(path), `there is no ${path}`);
}

function secretFault([name = '', ...words]: readonly string[]): string | undefined {
  const literals = words.map((word) => /^--from-literal=(\w+)=(.+)$/s.exec(word)?.[1]);
  if (literals.length === 0 || literals.includes(undefined)) return 'a value is empty';
  const keys = Array.from(manifests.matchAll(/secretKeyRef: \{ name: ([\w-]+), key: (\w+) \}/g));
  const wanted = keys.flatMap(([, secret, key]) => (secret === name && key !== 'POOL' ? [key] : []));
  const missing = wanted.filter((key) => !literals.includes(key));
  if (missing.length > 0) return `a manifest wants its key ${missing.join(', ')}`;
  return unless(
    manifests.includes(`name: ${name},`) || manifests.includes(`{ name: ${name} }`),
    'no manifest names it',
  );
}

/** The inputs of the workflows on our pages that somebody starts by hand. */
function dispatchInputs(): Set<string> {
  const Dispatched = z.looseObject({
    on: z.looseObject({ workflow_dispatch: z.looseObject({ inputs: z.record(z.string(), z.unknown()) }) }),
  });
  const shown = pages.flatMap((page) =>
    fencedBlocks(page).filter(({ text }) => /^ {2}workflow_dispatch:\n/m.test(text)),
  );
  return new Set(
    shown.flatMap(({ text }) => {
      const workflow = Dispatched.safeParse(parse(text));
      return workflow.success ? Object.keys(workflow.data.on.workflow_dispatch.inputs) : [];
    }),
  );
}
