import { AgentDefinition } from '@proofmark/contracts/agent-file';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { MockEntry, MockSettings } from '@proofmark/contracts/mocks';
import { TestCase } from '@proofmark/contracts/test-case';
import { pause } from '@proofmark/process/pause';
import type { z } from 'zod';
import type { CasePorts } from './case-state.ts';

export interface CaseStory {
  case?: Partial<z.input<typeof TestCase>>;
  agent?: Partial<z.input<typeof AgentDefinition>>;
  model?: CaseWork['model'];
  judge?: CaseWork['instrument']['judge'];
  panel?: NonNullable<CaseWork['instrument']['panel']>;
  metricModels?: NonNullable<CaseWork['instrument']['metricModels']>;
  embedding?: CaseWork['instrument']['embedding'];
  simulator?: CaseWork['instrument']['simulator'];
  evaluations?: CaseWork['instrument']['evaluations'];
  mocks?: z.input<typeof MockEntry>[];
  cassette?: NonNullable<CaseWork['instrument']['cassette']>;
  mockSettings?: z.input<typeof MockSettings>;
  variables?: CaseWork['resolvedVariables']['values'];
  limits?: Partial<CaseWork['limits']>;
}

/** Work for tests: a scripted agent that answers "We open from 9 to 17", asked once, unless the story says otherwise. */
export function aCase(story: CaseStory = {}): CaseWork {
  return {
    suiteName: 'Support',
    suitePath: 'evals/support.suite.yaml',
    variant: 'head',
    cellKey: '',
    repetition: 1,
    seed: '0123456789abcdef',
    case: TestCase.parse({ name: 'Business hours', kind: 'single', input: 'When do you open?', ...story.case }),
    agent: AgentDefinition.parse({
      name: 'Support agent',
      instructions: 'You are a support agent.',
      driver: { type: 'scripted', replies: [{ reply: 'We open from 9 to 17' }] },
      ai_configuration: null,
      ...story.agent,
    }),
    model: story.model ?? null,
    instrument: {
      judge: story.judge ?? null,
      ...(story.panel && { panel: story.panel }),
      ...(story.metricModels && { metricModels: story.metricModels }),
      embedding: story.embedding ?? null,
      simulator: story.simulator ?? null,
      evaluations: story.evaluations ?? null,
      mocks: (story.mocks ?? []).map((mock) => MockEntry.parse(mock)),
      mockSettings: MockSettings.parse(story.mockSettings ?? {}),
      ...(story.cassette && { cassette: story.cassette }),
    },
    resolvedVariables: { values: story.variables ?? {}, sources: {} },
    limits: { caseTimeoutMs: 30_000, agentTimeoutMs: 1_000, maxTurns: 40, ...story.limits },
  };
}

/** Ports for tests: the real clock, no jitter, and no models unless given. */
export function casePorts(ports: Partial<CasePorts> = {}): CasePorts {
  const noModel = async (): Promise<never> => {
    throw new Error('This test calls no model');
  };
  return {
    models: { chat: noModel, embed: noModel },
    clock: { now: () => new Date(), monotonicMs: () => performance.now() },
    random: () => 0,
    pause,
    ...ports,
  };
}
