// How long it takes to read and review a large repository of suites, and how much memory. Ends with 1 above the promise.
// Run: npx pnpm benchmark:definitions

import { loadDefinitions } from '@proofmark/contracts/load-definitions';

const suites = Number(process.argv[2] ?? 1_000);
const casesPerSuite = 20;
const promise = { seconds: 3, megabytes: 400 };

const agent = `name: Support
ai_configuration: judge
instructions: Help the customer.
tools: [{ name: get_hours }, { name: refund }]
`;
const project = 'ai_configurations: { judge: { provider: openai, model: gpt-4o } }\n';

const singleTurn = (number: number): string => `  - name: Opening hours ${number}
    input: What are your business hours on day ${number}?
    expected_tools: [get_hours]
    ground_truth: Monday to Friday, 9 to 17
    expected_behavior:
      mode: all
      checks:
        - { type: contains_phrases, phrases: ["9", "17"] }
        - { type: semantic_similarity, expected_answer: "We open from 9 to 17", threshold: 0.8 }
    tags: [normal]
`;

const simulated = (number: number): string => `  - name: Refund ${number}
    persona: { type: frustrated-user, description: Has waited for weeks, instructions: Be brief }
    initial_message: This is the third time I ask!
    user_context: { order_id: A-${number} }
    max_turns: 8
    expected_outcomes: { refund_issued: true }
    expected_tool_calls: [{ tool: refund, expected_params: { order_id: A-${number} } }]
    difficulty: hard
`;

const suite = (number: number): string => `name: Suite ${number}
agent: ../support.agent.yaml
judge: { ai_configuration: judge }
evaluations: { metrics: [{ metric: groundedness, threshold: 0.7 }] }
repetitions: 3
cases:
${Array.from({ length: casesPerSuite }, (_, index) => (index % 2 === 0 ? singleTurn(index) : simulated(index))).join('')}`;

const files = new Map([
  ['proofmark.yaml', project],
  ['support.agent.yaml', agent],
]);
for (let number = 0; number < suites; number += 1) files.set(`evals/${number}.suite.yaml`, suite(number));
const suitePaths = [...files.keys()].filter((path) => path.endsWith('.suite.yaml'));

const start = performance.now();
const { definitions, problems } = loadDefinitions({
  suitePaths,
  projectPath: 'proofmark.yaml',
  read: (path) => files.get(path),
});
const seconds = (performance.now() - start) / 1000;
const megabytes = process.resourceUsage().maxRSS / 1000;

const isKept = seconds < promise.seconds && megabytes < promise.megabytes;
process.stdout.write(
  `${definitions.suites.length} suites × ${casesPerSuite} cases, ${problems.length} problems: ` +
    `${seconds.toFixed(2)} s (promise ${promise.seconds}), ${megabytes.toFixed(0)} MB at most (promise ${promise.megabytes})\n`,
);
process.exitCode = isKept && problems.length === 0 && definitions.suites.length === suites ? 0 : 1;
