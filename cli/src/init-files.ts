/** What `init` writes: a suite and a workflow that pass at once, without a key, and say what to change for a real agent. */
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
      - uses: OWNER/proofmark/action@v1
        # The cases run in this job. With a coordinator they run on its runners, and with its App it writes checks and
        # comment: permissions are then { contents: read, id-token: write }.
        # with: { coordinator: https://proofmark.example.com }
        env: { OPENAI_API_KEY: "\${{ secrets.OPENAI_API_KEY }}" }
`,
  ],
];
