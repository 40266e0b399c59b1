import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Who answers: the model that benchmarks ask over HTTP, or replies that stand in the suite. */
export type Answering = 'model' | 'scripted';

const agents: Readonly<Record<Answering, string>> = {
  model: '{ name: Shop, instructions: You answer questions of customers of a small shop. }',
  scripted: '{ name: Shop, driver: { type: scripted, replies: [{ reply: We are open from 9 to 17 on weekdays. }] } }',
};

interface Written {
  origin: string;
  cases: number;
  answering?: Answering;
}

/** A repository with so many cases in suites of at most 1000. Answers how many there are. */
export async function writeRepository(root: string, { origin, cases, answering = 'model' }: Written): Promise<number> {
  const suites = Math.max(1, Math.ceil(cases / 1000));
  await mkdir(join(root, 'evals'), { recursive: true });
  await writeFile(
    join(root, 'proofmark.yaml'),
    `ai_configurations: { bare: { provider: openai, model: bare-model, base_url: "${origin}/v1" } }\n`,
  );
  const numbers = Array.from({ length: Math.ceil(cases / suites) }, (_, index) => index);
  const lines = numbers.map(
    (number) =>
      `  - { name: Case ${number}, input: "When are you open on day ${number}?", expected_behavior: { checks: [{ type: contains_phrases, phrases: ["17"] }] } }\n`,
  );
  for (let suite = 0; suite < suites; suite += 1) {
    await writeFile(
      join(root, `evals/${String(suite).padStart(2, '0')}.suite.yaml`),
      `name: Suite ${suite}\nagent: ${agents[answering]}\ncases:\n${lines.join('')}`,
    );
  }
  return suites * numbers.length;
}
