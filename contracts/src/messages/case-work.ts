import { z } from 'zod';
import { AgentDefinition } from '../definitions/agent-file.ts';
import { ModelSettings } from '../definitions/ai-configuration.ts';
import { CassetteEntry } from '../definitions/cassette.ts';
import { EvaluationConfig } from '../definitions/metrics.ts';
import { MockEntry, MockSettings } from '../definitions/mocks.ts';
import { Simulator } from '../definitions/suite.ts';
import { TestCase } from '../definitions/test-case.ts';
import { ResolvedVariables } from '../definitions/variables.ts';
import { FileContent } from './file-content.ts';
import { RecordedConversation } from './recorded-conversation.ts';

export const Variant = z.enum(['head', 'baseline', 'candidate']);
export type Variant = z.infer<typeof Variant>;

export const CaseLimits = z.strictObject({
  caseTimeoutMs: z.int().min(1),
  agentTimeoutMs: z.int().min(1),
  maxTurns: z.int().min(1),
});
export type CaseLimits = z.infer<typeof CaseLimits>;

/** What the measuring side uses, each resolved to a model: the part that `instrument_hash` covers. */
export const Instrument = z.strictObject({
  judge: ModelSettings.nullable(),
  /** All members of the judge's panel; absent: `judge` decides alone. */
  panel: z.array(ModelSettings).optional(),
  embedding: ModelSettings.nullable(),
  simulator: z.strictObject({ settings: Simulator, model: ModelSettings }).nullable(),
  evaluations: EvaluationConfig.nullable(),
  /** The models that `evaluations` and its metrics name, by the name of their AI configuration. */
  metricModels: z.record(z.string(), ModelSettings).optional(),
  mocks: z.array(MockEntry),
  mockSettings: MockSettings,
  /** Recorded answers of simulated tools; absent: there are none. */
  cassette: z.array(CassetteEntry).optional(),
});
export type Instrument = z.infer<typeof Instrument>;

/**
 * Everything that running and judging one test run needs, and nothing that has to be looked up: variables are
 * resolved, texts substituted, models chosen. Embedded runs and runners execute the same value.
 */
export const CaseWork = z.strictObject({
  suiteName: z.string(),
  suitePath: z.string(),
  variant: Variant,
  cellKey: z.string(),
  repetition: z.int().min(1),
  seed: z.string(),
  case: TestCase,
  /** What is in the local files of the case; absent where they are read from the repository itself. */
  contents: z.array(FileContent).max(10).optional(),
  agent: AgentDefinition,
  /** The agent's model after `AIConfiguration`, `Temperature` and `MaxTokens`; null for drivers without a model. */
  model: ModelSettings.nullable(),
  instrument: Instrument,
  resolvedVariables: ResolvedVariables,
  limits: CaseLimits,
  /** What the agent said already: it is judged, and nobody is asked again. Absent: the agent is asked. */
  recorded: RecordedConversation.optional(),
});
export type CaseWork = z.infer<typeof CaseWork>;

/** What all test runs with one agent, one model and one instrument share, whatever they ask. It is stored and sent once. */
export const WorkSetting = CaseWork.pick({
  suiteName: true,
  suitePath: true,
  variant: true,
  cellKey: true,
  agent: true,
  model: true,
  instrument: true,
  limits: true,
});
export type WorkSetting = z.infer<typeof WorkSetting>;

/** What all repetitions of a case share. */
export const WorkCase = CaseWork.pick({ case: true, contents: true, resolvedVariables: true, recorded: true });
export type WorkCase = z.infer<typeof WorkCase>;
