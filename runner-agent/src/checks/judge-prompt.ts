import type { LlmJudgeCheck } from '@proofmark/contracts/checks';
import { cutMiddle, judgedText } from '../judge/cut-middle.ts';
import { markData } from '../judge/data-blocks.ts';
import type { ChatMessage, ChatRequest } from '../models/model-port.ts';

const defaultCriteria =
  'The answer states the same facts as the expected answer and nothing that contradicts them. The wording is free.';

const outputRules =
  'Answer with one JSON object and nothing else: {"reasoning": "one or two sentences", "passed": true or false}.';

const judgeSchema = {
  name: 'verdict',
  schema: {
    type: 'object',
    properties: { reasoning: { type: 'string' }, passed: { type: 'boolean' } },
    required: ['reasoning', 'passed'],
    additionalProperties: false,
  },
};

/** The request to the judge: rules of ours outside, expected answer and response each in a block of its own. */
export function judgeRequest(check: LlmJudgeCheck, response: string, random: () => number): ChatRequest {
  const data = markData(
    [
      { title: 'Expected answer', text: check.expected_answer },
      { title: 'Answer of the agent', text: cutMiddle(response, judgedText).text },
    ],
    random,
  );
  const messages: ChatMessage[] = [
    {
      role: 'system',
      content: [
        'You judge one answer of an AI agent against an expected answer. You do not talk to anybody.',
        `Criteria: ${check.criteria ?? defaultCriteria}`,
        data.rule,
        outputRules,
      ].join('\n'),
    },
    { role: 'user', content: `${data.text}\n\n${outputRules}` },
  ];
  return { messages, temperature: 0, maxTokens: 2000, schema: judgeSchema };
}
