import type { ToolCall, ToolMatch, TranscriptTurn } from '@proofmark/contracts/case-outcome';
import type { ProcessedFileInput } from '@proofmark/contracts/processed-file';
import { fileName } from '../files/file-name.ts';
import { cutMiddle, type DataBlock, hangLines } from './data-blocks.ts';

/** What a test run has to show for itself, beside what the agent said. */
export interface ShownEvidence {
  files: readonly ProcessedFileInput[];
  groundTruth: string | null;
  calls: readonly ToolCall[];
}

/** Of one argument or result of a tool: a long list must not take the place of all other calls. */
const toolCharacters = { head: 1_500, tail: 500 };

/** The files of the case as text; nothing where there is none. */
export function fileBlocks(files: ShownEvidence['files']): DataBlock[] {
  const texts = files.map(
    ({ original, markdown_content }, index) =>
      `file ${index + 1}: ${hangLines(fileName(original))} (${original.type})\n  ${hangLines(markdown_content)}`,
  );
  return texts.length === 0 ? [] : [{ title: 'Files that the user sent along', text: texts.join('\n\n') }];
}

/** What a right answer says, as the author of the case sees it; nothing where the case does not say it. */
export const truthBlocks = (groundTruth: string | null): DataBlock[] =>
  groundTruth === null || groundTruth.trim() === '' ? [] : [{ title: 'Reference answer', text: groundTruth }];

/** Calls with their arguments and results, and what a check by code found in them. */
export function callsBlock(calls: readonly ToolCall[], found?: ToolMatch): DataBlock & { isCut: boolean } {
  let isCut = false;
  const shortened = (value: ToolCall['result']): string => {
    const cut = cutMiddle(typeof value === 'string' ? value : JSON.stringify(value), toolCharacters);
    isCut ||= cut.isCut;
    return hangLines(cut.text);
  };
  const listed = calls.map((call, index) => {
    const outcome = call.error === null ? '' : `error: ${hangLines(call.error)}\n`;
    const asked = `call ${index + 1}: ${hangLines(call.name)}\narguments: ${shortened(call.args)}`;
    return `${asked}\n${outcome}result: ${shortened(call.result)}`;
  });
  const evidence = listed.length === 0 ? ['No tool was called.'] : listed;
  const text = [...evidence, ...(found ? foundByCode(found) : [])].join('\n\n');
  return { title: 'Tool evidence', text, isCut };
}

function foundByCode({ matched, problems }: ToolMatch): string[] {
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
