import type { ToolCall, ToolMatch, TranscriptTurn } from '@proofmark/contracts/case-outcome';
import type { TestCase } from '@proofmark/contracts/test-case';
import { defaultRubric } from '@proofmark/domain/judge-hash';
import type { ChatRequest } from '../models/model-port.ts';
import { cutMiddle, judgedText } from './cut-middle.ts';
import { type DataBlock, markData } from './data-blocks.ts';
import { hangLines } from './hang-lines.ts';
import type { Criterion } from './outcome-criteria.ts';
import { outcomeRole, outcomeRules, statusLines } from './outcome-template.ts';

export interface JudgedConversation {
  case: Pick<TestCase, 'name' | 'description' | 'input' | 'initial_message' | 'evaluation_criteria_override'>;
  criteria: readonly Criterion[];
  toolCalls: readonly ToolCall[];
  tools: ToolMatch;
  transcript: readonly TranscriptTurn[];
}

const toolResultCharacters = 2_000;
const outputTokens = 2_000;

/** The request to the judge of outcomes: rules of ours in the system message, every foreign text in a block of its own. */
export function outcomeRequest(conversation: JudgedConversation, random: () => number): ChatRequest {
  const data = markData(blocksOf(conversation), random);
  const rubric = conversation.case.evaluation_criteria_override ?? defaultRubric;
  return {
    messages: [
      {
        role: 'system',
        content: [outcomeRole, `Evaluation criteria:\n${rubric}`, statusLines, data.rule, outcomeRules].join('\n\n'),
      },
      { role: 'user', content: `${data.text}\n\n${outcomeRules}` },
    ],
    temperature: 0,
    maxTokens: outputTokens,
    schema: outcomeSchema,
  };
}

function blocksOf({ case: testCase, criteria, toolCalls, tools, transcript }: JudgedConversation): DataBlock[] {
  return [
    { title: 'Task', text: taskText(testCase) },
    {
      title: 'Criteria',
      text: criteria
        .map(({ id, requirement }) => `id: ${hangLines(id)}\nrequirement: ${hangLines(requirement)}`)
        .join('\n\n'),
    },
    { title: 'Tool evidence', text: cutMiddle(toolText(toolCalls, tools), judgedText).text },
    { title: 'Transcript', text: cutMiddle(transcriptText(transcript), judgedText).text },
  ];
}

function taskText({ name, description, input, initial_message }: JudgedConversation['case']): string {
  const lines = [`name: ${hangLines(name)}`];
  if (description !== null) lines.push(`description: ${hangLines(description)}`);
  if (initial_message !== null) lines.push(`initial message of the user: ${hangLines(initial_message)}`);
  else if (input !== null) lines.push(`message of the user: ${hangLines(input)}`);
  return lines.join('\n');
}

function toolText(calls: readonly ToolCall[], { matched, problems }: ToolMatch): string {
  const listed = calls.map((call, index) => {
    const outcome = call.error === null ? '' : `error: ${hangLines(call.error)}\n`;
    const asked = `call ${index + 1}: ${hangLines(call.name)}\narguments: ${shortened(call.args)}`;
    return `${asked}\n${outcome}result: ${shortened(call.result)}`;
  });
  const evidence = listed.length === 0 ? ['No tool was called.'] : listed;
  return [...evidence, ...expectationLines(matched, problems)].join('\n\n');
}

function expectationLines(matched: boolean | null, problems: readonly string[]): string[] {
  if (matched === null) return [];
  return [
    matched
      ? 'A check by code found every expected call and no forbidden one.'
      : `A check by code found: ${problems.join('; ')}`,
  ];
}

/** A conversation as lines with the speaker in front; what tools returned stands in the tool evidence. */
export function transcriptText(transcript: readonly TranscriptTurn[]): string {
  return transcript
    .filter(({ role }) => role !== 'tool')
    .map(({ role, text }) => `${role}: ${hangLines(text)}`)
    .join('\n\n');
}

function shortened(value: ToolCall['result']): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return hangLines(cutMiddle(text, { head: toolResultCharacters, tail: 0 }).text);
}

const someText = { type: 'string' };

const outcomeSchema = {
  name: 'outcomes',
  schema: {
    type: 'object',
    properties: {
      criteria: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            id: someText,
            requirement: someText,
            reasoning: someText,
            status: { type: 'string', enum: ['passed', 'failed', 'inconclusive'] },
          },
          required: ['id', 'requirement', 'reasoning', 'status'],
          additionalProperties: false,
        },
      },
      injection_attempt: { type: 'boolean' },
    },
    required: ['criteria', 'injection_attempt'],
    additionalProperties: false,
  },
};
