import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Rule } from '../stack/model/rules.ts';
import type { ModelServer } from '../stack/model-server.ts';
import { makeScratchDirectory } from '../stack/scratch-directory.ts';

interface Shop {
  /** Of `mock_settings`. */
  settings?: string;
  cassette?: string;
}

/** A project whose agent looks orders up in a tool that a model plays. */
export const shopFiles = ({ settings = '{}', cassette }: Shop = {}): Record<string, string> => ({
  'proofmark.yaml':
    'ai_configurations:\n  desk: { provider: openai, model: agent-1 }\n  player: { provider: openai, model: player-1 }\n',
  'evals/orders.suite.yaml': `name: Orders
agent:
  name: Desk
  instructions: You help customers of a shop.
  ai_configuration: desk
  tools: [{ name: search_orders, description: Finds orders by a word }]
simulator: { ai_configuration: player }
mocks:
  - tool: search_orders
    simulate:
      instructions: Finds the orders of a small shop. There is one lamp, and it is lost.
      schema: { type: object, properties: { status: { type: string } }, required: [status] }
    times: always
mock_settings: ${settings}
repetitions: 3
cases:
  - name: Where is my lamp
    input: Where is my lamp?
    expected_tool_calls: [{ tool: search_orders, expected_params: { word: lamp } }]
    expected_behavior: { checks: [{ type: contains_phrases, phrases: [lost] }] }
`,
  ...(cassette === undefined ? {} : { 'evals/orders.jsonl': cassette }),
});

/** The player numbers its answers, so that one that is asked twice tells two stories. */
export function shopRules(): Rule[] {
  let answers = 0;
  const lost = (): string => {
    answers += 1;
    return JSON.stringify({ result_json: JSON.stringify({ status: `lost ${answers}` }) });
  };
  return [
    { when: { model: 'player-1' }, reply: lost },
    {
      when: { model: 'agent-1' },
      toolCalls: [{ name: 'search_orders', arguments: { word: 'lamp' } }],
      // The agent says what the tool said.
      reply: ({ messages }) => messages.findLast(({ role }) => role === 'tool')?.content ?? '',
    },
  ];
}

/** How often the model was asked to play the tool. */
export const timesPlayed = ({ requests }: Pick<ModelServer, 'requests'>): number =>
  requests.filter(({ model }) => model === 'player-1').length;

export async function writeProject(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await makeScratchDirectory('tools');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}
