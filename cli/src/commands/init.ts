import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { definitionSchemas } from '@proofmark/contracts/definition-schemas';
import { publishedAction } from '@proofmark/contracts/published-names';
import { z } from 'zod';
import { type Command, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { schemaText } from './schema.ts';

const Options = z.object({ json: z.boolean().default(false) });

export const init: Command = {
  synopsis: '[--json]',
  optionHelp: [['--json', 'print the written files as JSON']],
  options: { json: { type: 'boolean' } },
  run: async ({ values, positionals }, { cwd, terminal }) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    if (positionals.length > 0) return wrongUsage('init takes no path: it writes to the current folder.');
    const schemas = Object.entries(definitionSchemas()).filter(([name]) => name === 'suite.schema.json');
    const files = [
      ...initFiles,
      ...schemas.map(([name, content]) => [`schemas/${name}`, schemaText(content)] as const),
    ];
    const present = files.map(([path]) => path).filter((path) => existsSync(join(cwd, path)));
    if (present.length > 0)
      return wrongUsage(`Nothing was written, because this exists already: ${present.join(', ')}.`);
    for (const [path, content] of files) {
      await mkdir(dirname(join(cwd, path)), { recursive: true });
      // Fails rather than overwrites when the file appeared in between.
      await writeFile(join(cwd, path), content, { flag: 'wx' });
    }
    const ignored = await ignoreResults(cwd);
    const written = files.map(([path]) => path);
    const next = 'Next: proofmark validate, then proofmark run.';
    terminal.write(
      options.options.json
        ? `${JSON.stringify({ written, git_ignore: ignored }, null, 2)}\n`
        : `Wrote ${written.join(', ')}\n${ignoreWords[ignored]}\n${next}\n`,
    );
    return done(exitCodes.fine);
  },
};

const ignoreWords: Record<IgnoredResults, string> = {
  created: 'Wrote .gitignore: results/, where runs keep what they find, is not committed.',
  appended: 'Added results/, where runs keep what they find, to .gitignore: it is not committed.',
  present: '.gitignore keeps results/ out of commits already.',
};

/** What had to be done so that results are never committed. */
type IgnoredResults = 'created' | 'appended' | 'present';

/** What git takes for the folder of results here, or for every folder of that name. */
const patterns = /^\/?(\*\*\/)?results(\/?|\/\*{1,2})$/;

/** Puts `results/` into the `.gitignore` of a folder, once; what stands there is kept. */
async function ignoreResults(folder: string): Promise<IgnoredResults> {
  const path = join(folder, '.gitignore');
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) {
    await writeFile(path, `${entry}\n`, { flag: 'wx' });
    return 'created';
  }
  const lines = text.split(/\r?\n/).map((line) => line.trimEnd());
  if (lines.some((line) => patterns.test(line))) return 'present';
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' || text.endsWith('\n') ? '' : lineEnd;
  await writeFile(path, `${text}${gap}${entry.replaceAll('\n', lineEnd)}${lineEnd}`);
  return 'appended';
}

const entry = '# What runs of Proofmark find\nresults/';

/** What `init` writes: a suite and a workflow that pass at once, without a key, and say what to change for a real agent. */
const initFiles: readonly (readonly [path: string, content: string])[] = [
  [
    'proofmark.yaml',
    `suites: ["evals/**/*.suite.yaml"]
# Models that agents and judges can use. Keys stay in the environment: only the name of the variable stands here.
ai_configurations:
  gpt-4o: { provider: openai, model: gpt-4o, api_key_env: OPENAI_API_KEY, price: { input: 2.5, output: 10 } }
presets:
  careful: { Temperature: 0 }
`,
  ],
  [
    'agents/support.agent.yaml',
    `name: Support agent
instructions: |
  You answer questions of customers of a small shop.
  The shop is open Monday to Friday from 9 to 17.
  Never promise a refund.
# Answers from data, so that the example runs without a key. Remove the driver to ask the model instead.
driver:
  type: scripted
  replies:
    - { contains: open, reply: "We are open Monday to Friday from 9 to 17." }
    - { reply: "A colleague will look at that and write to you." }
ai_configuration: gpt-4o
`,
  ],
  [
    'evals/support.suite.yaml',
    `# Cases for one agent. Editors complete its keys by this schema; a new version has a new one: proofmark schema --output schemas
# yaml-language-server: $schema=../schemas/suite.schema.json
name: Support
agent: ../agents/support.agent.yaml
# Values of all cases; a run may give others: proofmark run --var Temperature=0.7
variables: { Temperature: 0 }
cases:
  # One question and what the answer must contain.
  - name: Business hours
    input: When are you open?
    expected_behavior:
      checks:
        - { type: contains_phrases, phrases: ["Monday", "17"] }
  - name: No promise of a refund
    input: I want my money back!
    expected_behavior:
      checks:
        - { type: contains_phrases, phrases: ["colleague"] }
        - { type: not_contains, phrases: ["you will get a refund"] }
    # For choosing cases: proofmark run --tag refund --difficulty hard
    tags: [refund]
    difficulty: hard
`,
  ],
  [
    '.github/workflows/proofmark.yml',
    `# Judges every pull request. A push to main records how the agent behaves there: what pull requests are compared with.
name: Proofmark
on:
  pull_request:
  push: { branches: [main] }
permissions: {}
jobs:
  proofmark:
    runs-on: ubuntu-latest
    # To read the change, and to write the checks and the comment.
    permissions: { contents: read, checks: write, pull-requests: write }
    steps:
      # Pin both actions by the full SHA of a commit.
      - uses: actions/checkout@v5
        with: { ref: "\${{ github.event.pull_request.head.sha || github.sha }}", persist-credentials: false }
      - uses: ${publishedAction}
        # The cases run in this job. With a coordinator they run on its runners, and with its App it writes checks and
        # comment: permissions are then { contents: read, id-token: write }.
        # with: { coordinator: https://proofmark.example.com }
        env: { OPENAI_API_KEY: "\${{ secrets.OPENAI_API_KEY }}" }
`,
  ],
];
