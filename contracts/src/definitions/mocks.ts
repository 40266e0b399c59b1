import { z } from 'zod';
import { FreeForm, JsonData, KeyName } from './texts.ts';

export const MockFault = z.strictObject({
  kind: z.enum(['timeout', 'http_error', 'malformed', 'empty', 'slow']).describe('What goes wrong.'),
  status: z.int().min(100).max(599).optional().describe('Status of an http_error.'),
  message: z.string().optional().describe('What the agent is told.'),
  delay_ms: z.int().min(0).max(10_000).optional().describe('How long a slow tool or a timeout takes.'),
});
export type MockFault = z.infer<typeof MockFault>;

/** A tool that a model plays, where no list of canned answers would be long enough. */
export const MockSimulation = z.strictObject({
  instructions: z.string().min(1).max(20_000).describe('What the tool does, for the model that answers in its place.'),
  schema: FreeForm.optional().describe('JSON Schema that every answer fits.'),
});
export type MockSimulation = z.infer<typeof MockSimulation>;

const answer = {
  returns: JsonData.optional().describe('What the tool answers; { $from: args.id } takes data of the call.'),
  fault: MockFault.optional().describe('A failure instead of an answer.'),
};
const path = z
  .array(
    z.union([
      z.string(),
      z.int(),
      z.strictObject({ $from: z.string().describe('Data of the call, such as args.id.') }),
    ]),
  )
  .min(1);

export const MockEntry = z.strictObject({
  tool: KeyName.describe('Name of the tool.'),
  when: FreeForm.optional().describe('Only calls with these parameters, matchers allowed.'),
  times: z
    .union([z.int().min(1), z.literal('always')])
    .default(1)
    .describe('How many calls it answers, or always.'),
  set: z
    .array(
      z.strictObject({
        op: z.enum(['add', 'replace', 'remove']).describe('What happens there.'),
        path: path.describe('Where, as a list of keys.'),
        value: JsonData.optional().describe('What to put there.'),
      }),
    )
    .default([])
    .describe('Changes of the shared state by such a call.'),
  sequence: z.array(z.strictObject(answer)).min(1).optional().describe('Answers instead of one, each for one call.'),
  simulate: MockSimulation.optional().describe('A model answers in place of the tool, and what it said is recorded.'),
  ...answer,
});
export type MockEntry = z.infer<typeof MockEntry>;

export const MockSettings = z.strictObject({
  mode: z
    .enum(['mock', 'mixed', 'live'])
    .default('mock')
    .describe(
      'mock: no live tool is ever called; mixed: calls without a canned answer go live; live: mocks are ignored.',
    ),
  unmatched: z
    .enum(['error', 'invalid', 'fail'])
    .default('error')
    .describe('A call without a canned answer is an error for the agent, an invalid test run, or a failed one.'),
  state: FreeForm.default({}).describe('Data that canned answers read and change, fresh for every test run.'),
  // No default: it would change the digest of every suite that has no such tool.
  cassette: z.string().min(1).optional().describe('Path of recorded answers from here, read before a model is asked.'),
  cassette_mode: z
    .enum(['record', 'replay_only'])
    .optional()
    .describe(
      'record (also unless set): a call without a recorded answer asks the model; replay_only: it makes the test run invalid.',
    ),
});
export type MockSettings = z.infer<typeof MockSettings>;

/** Whether a model answers in place of some tool of the suite. */
export const simulatesTools = (mocks: readonly MockEntry[], { mode }: Pick<MockSettings, 'mode'>): boolean =>
  mode !== 'live' && mocks.some(({ simulate }) => simulate !== undefined);
