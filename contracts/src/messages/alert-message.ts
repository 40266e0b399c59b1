import { z } from 'zod';

/** What a team is told of without looking. */
export const AlertKind = z.enum(['regression', 'newly_flaky', 'budget', 'nothing_executed', 'recovered', 'test']);
export type AlertKind = z.infer<typeof AlertKind>;

/** By which way people are told. */
export const ChannelKind = z.enum(['webhook', 'slack', 'email', 'github_issue']);
export type ChannelKind = z.infer<typeof ChannelKind>;

/** What is known about an alert; each kind has its own. Rates are percent. */
export const AlertFacts = z.strictObject({
  passRate: z.number().nullable().optional(),
  /** Before the fall. */
  passRateBefore: z.number().nullable().optional(),
  /** Percentage points. */
  dropPoints: z.number().nullable().optional(),
  /** The first of the cases that it is about, by name, and how many there are. */
  cases: z.array(z.string()).optional(),
  caseCount: z.int().optional(),
  /** Test runs that were left out. */
  testRuns: z.int().optional(),
  /** Why, in one sentence. */
  reason: z.string().nullable().optional(),
  /** When what is over now was told. */
  since: z.string().optional(),
});
export type AlertFacts = z.infer<typeof AlertFacts>;

/** The body of a webhook. A receiver that gets the same `id` again has had it before. */
export const AlertMessage = z.strictObject({
  version: z.literal(1),
  id: z.uuid(),
  kind: AlertKind,
  /** One line for people. */
  title: z.string(),
  /** Further lines for people. */
  lines: z.array(z.string()),
  suite: z.string().nullable(),
  suiteId: z.uuid().nullable(),
  /** Which combination of matrix values; empty without a matrix. */
  cellKey: z.string(),
  runId: z.uuid().nullable(),
  suiteRunId: z.uuid().nullable(),
  facts: AlertFacts,
  /** Where people read more; null where there is no run. */
  url: z.string().nullable(),
  createdAt: z.string(),
});
export type AlertMessage = z.infer<typeof AlertMessage>;
