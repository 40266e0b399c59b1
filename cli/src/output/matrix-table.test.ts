import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandIn, copyProject } from '../try-proofmark.fixture.ts';

test('cells stand side by side with the cases on which they differ, and one line closes the run', async () => {
  await using project = await copyProject();
  const { folder } = project;
  await writeFile(join(folder, 'proofmark.yaml'), '{}');
  await writeFile(
    join(folder, 'hot.suite.yaml'),
    `name: Hot
agent: { name: Desk, instructions: x, driver: { type: scripted, replies: [{ contains: "1", reply: hot }, { reply: cold }] } }
test_type: agent-eval
cases:
  - { name: Warm, input: "At {{Temperature}}", expected_behavior: { checks: [{ type: contains_phrases, phrases: [cold] }] } }
  - { name: Any, input: Well, expected_behavior: { checks: [{ type: length, min: 1 }] } }
`,
  );
  const { stdout } = await commandIn(folder, ['run', '--matrix', 'Temperature=0,1', '--repetitions', '2']);
  expect(stdout).toContain(
    [
      'Hot, cell by cell:',
      '  case                      0         1',
      '  Warm                      2/2       0/2',
      '  1 that passes everywhere',
      '  passed                    4/4       2/4',
      '  rate                      100%      50%',
      '  cost                      -         -',
      '  gate                      accepted  refused',
      '',
      'All 2 suite runs: 6 of 8 test runs passed (75%), 2 failed  REFUSED',
      'Nothing was compared. Compare with a branch: `npx proofmark run --compare main`. With the run before: `npx proofmark run --compare last`.',
      'Results: ',
    ].join('\n'),
  );
  const many = await commandIn(folder, ['run', '--matrix', 'Temperature=0,0.1,0.2,0.3,0.4,0.5,1']);
  expect(many.stdout).toContain('  cell  passed  rate  cost\n  0     2/2     100%  -     accepted\n');
  const alone = await commandIn(folder, ['run', '--case', 'Any']);
  expect(alone.stdout).not.toMatch(/All \d|cell by cell/);
  expect(await readdir(join(folder, 'results'))).toHaveLength(3);
});
