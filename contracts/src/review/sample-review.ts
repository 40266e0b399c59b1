import { brief, type Files, problemsOf } from '../definitions/sample-files.ts';

/** Two models that suites may name. */
export const project = `ai_configurations:
  gpt-4o: { provider: openai, model: gpt-4o, api_key_env: KEY }
  llama: { provider: openai, model: llama-3.1 }
`;

/** A suite whose agent has a model and a tool, with these lines below. */
export const openai = (body: string): string =>
  `name: S\nagent: { name: a, instructions: Be kind, ai_configuration: gpt-4o, tools: [{ name: refund }] }\n${body}\n`;

/** The same with a judge and these cases. */
export const judged = (cases: string): string => openai(`judge: { ai_configuration: llama }\ncases:\n${cases}`);

/** What is found in a suite file, briefly. */
export const review = (text: string, others: Files = {}): string[] =>
  brief(problemsOf(text, { 'proofmark.yaml': project, ...others }));

/** What is found in a suite file, as it is said. */
export const messages = (text: string, others: Files = {}): string =>
  problemsOf(text, { 'proofmark.yaml': project, ...others })
    .map(({ message }) => message)
    .join('\n');
