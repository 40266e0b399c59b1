import { expect, test } from 'vitest';
import { formProblems, workflowProblems } from './workflow-rules.ts';

const sound = `on: push
permissions: {}
jobs:
  test:
    runs-on: ubuntu-latest
    timeout-minutes: 5
    permissions: { contents: read }
    steps:
      - uses: actions/checkout@${'a'.repeat(40)} # v1.2.3
        with: { persist-credentials: false }
`;

test('a workflow that gives away no more than it must is sound', async () => {
  expect(await workflowProblems('x.yml', sound)).toEqual([]);
});

test.each([
  ['a key that GitHub refuses', ['steps:', 'stepps:'], 'stepps'],
  ['rights for every job', ['permissions: {}\n', 'permissions: { contents: write }\n'], 'starts with rights'],
  ['no word on rights at the top', ['permissions: {}\n', ''], 'starts with rights'],
  ['a job that does not say its rights', ['    permissions: { contents: read }\n', ''], 'does not say its permissions'],
  ['a job that may hang', ['    timeout-minutes: 5\n', ''], 'has no timeout-minutes'],
  ['a clone that keeps the token', ['false }', 'true }'], 'leaves its token'],
  ['an action by its tag', [`${'a'.repeat(40)} # v1.2.3`, 'main'], 'x.yml:9 is not pinned'],
  ['an action by SHA without its version', [' # v1.2.3', ''], 'x.yml:9 is not pinned'],
] as const)('%s is told', async (_, [from, to], told) => {
  expect((await workflowProblems('x.yml', sound.replace(from, to))).join('\n')).toContain(told);
});

const form = `name: A wish
description: What you want
body:
  - type: textarea
    id: wish
    attributes: { label: What? }
    validations: { required: true }
`;
const updates = `version: 2
updates:
  - { package-ecosystem: npm, directory: /, schedule: { interval: weekly }, groups: { all: { patterns: ["*"] } } }
  - { package-ecosystem: docker, directory: /deploy, schedule: { interval: monthly } }
`;
const formPath = '.github/ISSUE_TEMPLATE/wish.yml';

test('a form and a wish for updates that GitHub understands are sound', () => {
  expect(formProblems(formPath, form)).toEqual([]);
  expect(formProblems('.github/dependabot.yml', updates)).toEqual([]);
});

test.each([
  ['a field without a label', formPath, form, ['label: What?', 'labl: What?'], 'body.0.attributes.label'],
  ['a kind of field that there is not', formPath, form, ['textarea', 'textbox'], 'body.0.type'],
  ['a form without a name', formPath, form, ['name: A wish', 'title: A wish'], 'name'],
  ['a kind of package', '.github/dependabot.yml', updates, ['ecosystem: npm', 'ecosystem: npn'], 'package-ecosystem'],
  ['a time', '.github/dependabot.yml', updates, ['weekly', 'yearly'], 'schedule.interval'],
  ['a file that nobody knows', '.github/other.yml', updates, ['', ''], 'nobody says'],
] as const)('%s is told', (_, path, text, [from, to], told) => {
  expect(formProblems(path, text.replace(from, to)).join('\n')).toContain(told);
});
