/** What `init` writes: a suite that passes at once, without a key, and says what to change for a real agent. */
export const initFiles: readonly (readonly [path: string, content: string])[] = [
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
    `name: Support
agent: ../agents/support.agent.yaml
variables: { Temperature: 0 }
cases:
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
    tags: [refund]
    difficulty: hard
`,
  ],
];
