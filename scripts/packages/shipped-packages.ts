import { published } from '../../contracts/src/identity/published-names.ts';

/** A package as it is published: built from the sources of one workspace package and of those that it imports. */
export interface ShippedPackage {
  name: string;
  /** The workspace package whose README, and whose place in the repository, it has. */
  source: string;
  description: string;
  keywords: readonly string[];
  /** The oldest Node that it starts on. */
  node: '22.13' | '24.0';
  /** Programs that must stay files of a fixed name: what is typed, and what a process starts as a thread or a child. */
  entries: Readonly<Record<string, string>>;
  /** Words that may follow the command; each is an entry. */
  subcommands?: readonly string[];
  /** Words that go through so much data that memory is bounded for them. */
  frugal?: readonly string[];
  /** Other files that it holds, by their place in it. */
  copies?: Readonly<Record<string, string>>;
}

const { command, coordinator, runner } = published.packages;
const topics = ['llm', 'agents', 'evals', 'testing', 'ci'];

/** The programs that are published. Without dependencies: everything that they import is part of their files. */
export const shippedPrograms: readonly ShippedPackage[] = [
  {
    name: command,
    source: 'cli',
    description: 'Tests AI agents and says whether a change made them worse.',
    keywords: [...topics, 'cli'],
    node: '22.13',
    entries: {
      main: 'cli/src/main.ts',
      'convert-child': 'runner-agent/src/files/convert-child.ts',
      'code-host': 'runner-agent/src/drivers/code-host.ts',
    },
    frugal: ['run', 'rescore', 'validate', 'watch'],
    copies: { schemas: 'schemas', templates: 'cli/templates' },
  },
  {
    name: coordinator,
    source: 'coordinator',
    description: 'The server of Proofmark: keeps runs and results in Postgres, judges them, tells GitHub.',
    keywords: topics,
    node: '24.0',
    entries: {
      main: 'coordinator/src/main.ts',
      migrate: 'coordinator/src/migrate-main.ts',
      access: 'coordinator/src/access-main.ts',
      doctor: 'coordinator/src/doctor-main.ts',
      'runner-key': 'coordinator/src/dispatch/runner-key-main.ts',
      'github-app': 'coordinator/src/github-app-main.ts',
      'parse-worker': 'coordinator/src/definitions/parse-worker.ts',
    },
    subcommands: ['migrate', 'access', 'doctor', 'runner-key', 'github-app'],
    // The page that the coordinator serves: its committed bundle and its static files.
    copies: { 'dist/dashboard/static': 'dashboard/static', 'dist/dashboard/dist': 'dashboard/dist' },
  },
  {
    name: runner,
    source: 'runner-agent',
    description: 'Runs test cases of AI agents for a Proofmark coordinator.',
    keywords: topics,
    node: '24.0',
    entries: {
      main: 'runner-agent/src/main.ts',
      'heartbeat-worker': 'runner-agent/src/consume/heartbeat-worker.ts',
      'convert-child': 'runner-agent/src/files/convert-child.ts',
      'code-host': 'runner-agent/src/drivers/code-host.ts',
    },
  },
];

/** What the manifest of every published package says alike. */
export function manifestOf(
  { name, source, description, keywords }: Pick<ShippedPackage, 'name' | 'source' | 'description' | 'keywords'>,
  version: string,
) {
  const home = `https://github.com/${published.repository}`;
  return {
    name,
    version,
    description,
    keywords,
    license: 'MIT',
    homepage: `${home}#readme`,
    bugs: `${home}/issues`,
    // The registry compares this with the repository that the release ran in.
    repository: { type: 'git', url: `git+${home}.git`, directory: source },
    publishConfig: { access: 'public', provenance: true },
    type: 'module',
  } as const;
}
