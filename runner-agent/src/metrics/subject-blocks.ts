import { cutMiddle, judgedText } from '../judge/cut-middle.ts';
import type { DataBlock } from '../judge/data-blocks.ts';
import { hangLines } from '../judge/hang-lines.ts';
import type { MetricSubject } from './metric-subject.ts';
import type { RubricInput } from './rubrics.ts';

const titles: Readonly<Record<RubricInput, string>> = {
  instructions: 'Instructions of the agent',
  query: 'Query',
  context: 'Context',
  ground_truth: 'Reference answer',
  tools: 'Tools that the agent has',
  calls: 'Tool calls of the agent',
  response: 'Response of the agent',
};

/** The text of one input; empty when the test run has none. */
export function inputText(input: RubricInput, subject: MetricSubject): string {
  switch (input) {
    case 'ground_truth':
      return subject.groundTruth ?? '';
    case 'calls':
      return subject.calls.length === 0 ? 'No tool was called.' : subject.calls.map(callText).join('\n');
    case 'context':
    case 'instructions':
    case 'query':
    case 'response':
    case 'tools':
      return subject[input];
  }
}

const callText = ({ name, args }: MetricSubject['calls'][number], index: number): string =>
  `${index + 1}. ${hangLines(name)} ${JSON.stringify(args)}`;

/** A block per input in the fixed order of the titles above, without those that are empty; long texts lose their middle. */
export function subjectBlocks(inputs: readonly RubricInput[], subject: MetricSubject): DataBlock[] {
  return (Object.keys(titles) as RubricInput[]) // the keys of a record over RubricInput
    .filter((input) => inputs.includes(input))
    .map((input) => ({ title: titles[input], text: cutMiddle(inputText(input, subject), judgedText).text }))
    .filter(({ text }) => text.trim() !== '');
}
