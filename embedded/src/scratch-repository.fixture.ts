import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder with files for a test, which disappears with its owner. */
export interface ScratchRepository extends AsyncDisposable {
  root: string;
}

export async function scratchRepository(files: Readonly<Record<string, string>>): Promise<ScratchRepository> {
  const root = await mkdtemp(join(tmpdir(), 'proofmark-embedded-'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return { root, [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }) };
}

interface SuiteStory {
  name?: string;
  /** What the agent says to everything. */
  reply?: string;
  /** What every answer has to contain. */
  phrase?: string;
  cases?: readonly string[];
  more?: string;
}

/** A suite file with a scripted agent inside: one case "Hours" that passes, unless the story says otherwise. */
export function suiteText({
  name = 'Support',
  reply = 'from 9 to 17',
  phrase = '17',
  cases = ['Hours'],
  more = '',
}: SuiteStory = {}): string {
  const check = `{ checks: [{ type: contains_phrases, phrases: ["${phrase}"] }] }`;
  const caseLines = cases.map((one) => `  - { name: "${one}", input: "When?", expected_behavior: ${check} }\n`);
  return `name: ${name}
agent: { name: Agent, instructions: Answer., driver: { type: scripted, replies: [{ reply: "${reply}" }] } }
${more}cases:
${caseLines.join('')}`;
}
