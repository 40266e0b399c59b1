import {
  FindRunsDocument,
  ListCasesOfSuiteDocument,
  ListScheduledRunsDocument,
  ListSuitesDocument,
  type ListSuitesQuery,
  UpdateScheduleDocument,
  WriteRunNotesDocument,
} from '@proofmark/client/documents';
import { refused } from '@proofmark/client/send-operation';
import { constantOf, wordOf } from '@proofmark/client/words';
import { VerdictWord } from '@proofmark/contracts/gate';
import { RunStatus, RunTrigger, type ScheduleType } from '@proofmark/contracts/words';
import { z } from 'zod';
import { wholeNumberOption, wordOption } from '../arguments/parse-arguments.ts';
import { findSuite } from '../coordinator/find-stored.ts';
import {
  deedOf,
  limitOption,
  listVerb,
  nounCommand,
  readList,
  shownWord,
  type VerbAnswer,
  verb,
} from '../coordinator/noun-command.ts';
import type { OpenCoordinator } from '../coordinator/open-coordinator.ts';

/* What a coordinator has stored: suites with their cases and schedules, and the runs of them. */

const text = z.string().min(1, 'must not be empty');

type Schedule = Pick<
  ListSuitesQuery['suites']['edges'][number]['node'],
  'scheduleType' | 'scheduleTime' | 'scheduleDayOfWeek' | 'scheduleCron' | 'scheduleTimeZone' | 'scheduleJitterMinutes'
>;

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** When a suite runs by itself, in words; null: never. */
function scheduleWords(schedule: Schedule): string | null {
  const { scheduleType, scheduleTime, scheduleDayOfWeek: day, scheduleCron, scheduleTimeZone: zone } = schedule;
  if (scheduleCron === null && scheduleType === 'manual') return null;
  const onDay = scheduleType === 'weekly' && day !== null ? ` on ${days[day]}` : '';
  const atTime = scheduleType === 'hourly' || scheduleTime === null ? '' : ` at ${scheduleTime}`;
  const when = scheduleCron ?? `${scheduleType}${onDay}${atTime}`;
  const jitter = schedule.scheduleJitterMinutes === 0 ? '' : `, up to ${schedule.scheduleJitterMinutes} minutes later`;
  return `${when} ${zone ?? 'UTC'}${jitter}`;
}

export const suites = nounCommand({
  name: 'suites',
  verbs: {
    list: listVerb({
      does: 'list the suites that are stored',
      options: { agent: ['ID', 'only those of this agent', z.uuid('must be the id of an agent').optional()] },
      document: ListSuitesDocument,
      asks: ({ agent }) => ({ filter: { agentId: agent } }),
      page: ({ suites: all }) => all,
      row: ({ name, agentName, caseCount, path, isEnabled, id, ...schedule }) => ({
        ...{ name, agent: agentName, cases: caseCount, file: path, enabled: isEnabled },
        ...{ schedule: scheduleWords(schedule), id },
      }),
    }),
    show: verb({
      takes: ['SUITE'],
      does: 'list the tests of a suite, by its name or its id',
      options: { limit: limitOption },
      run: async ({ words: [word = ''], options: { limit }, coordinator }) => {
        const found = await findSuite(coordinator, word);
        if (!found.ok) return found;
        const read = await readList(limit, async (cut) => {
          const sent = await coordinator.patient.ask(ListCasesOfSuiteDocument, { id: found.id, ...cut });
          if (!sent.ok) return sent;
          const { suite } = sent.answer;
          return suite === null
            ? refused('NOT_FOUND', `The coordinator has no suite ${word}: \`proofmark suites\` lists them.`)
            : { ok: true, answer: suite.testCases };
        });
        if (!read.ok) return read;
        const things = read.answer.nodes.map(({ name, status, isEnabled, difficulty, tags, id }) => ({
          ...{ name, status: shownWord(status), enabled: isEnabled, difficulty: shownWord(difficulty), tags, id },
        }));
        return { ok: true, told: { called: 'tests', things, hasMore: read.answer.hasMore } };
      },
    }),
  },
});

interface NewSchedule {
  scheduleType?: string | null;
  scheduleCron?: string | null;
  scheduleTime?: string | null | undefined;
  scheduleDayOfWeek?: number | null | undefined;
  scheduleTimeZone?: string | null | undefined;
  scheduleJitterMinutes?: number | null | undefined;
}

async function schedule(coordinator: OpenCoordinator, word: string, wanted: NewSchedule): Promise<VerbAnswer> {
  const found = await findSuite(coordinator, word);
  if (!found.ok) return found;
  return deedOf(
    await coordinator.patient.ask(UpdateScheduleDocument, { input: { id: found.id, ...wanted } }),
    ({ updateSuite }) => updateSuite,
    ({ suite: { id, name, path, ...stored } }) => {
      const words = scheduleWords(stored);
      const until = path === null ? '' : ` What ${path} says counts again after its next import.`;
      return {
        did: `${name} runs ${words === null ? 'no more by itself' : `by itself: ${words}`}.${until}`,
        answer: { id, suite: name, schedule: words },
      };
    },
  );
}

export const schedules = nounCommand({
  name: 'schedules',
  verbs: {
    list: verb({
      does: 'list the suites that run by themselves, and when',
      options: { limit: limitOption },
      run: async ({ options: { limit }, coordinator: { patient } }) => {
        // No list of the coordinator knows these alone; whoever has more suites than this asks by GraphQL.
        const read = await readList(1000, async (cut) => {
          const sent = await patient.ask(ListSuitesDocument, cut);
          return sent.ok ? { ok: true, answer: sent.answer.suites } : sent;
        });
        if (!read.ok) return read;
        const all = read.answer.nodes.flatMap((suite) => {
          const words = scheduleWords(suite);
          return words === null ? [] : [{ suite: suite.name, schedule: words, enabled: suite.isEnabled, id: suite.id }];
        });
        const hasMore = read.answer.hasMore || all.length > limit;
        return { ok: true, told: { things: all.slice(0, limit), hasMore } };
      },
    }),
    log: verb({
      does: 'list the times at which suites were to run by themselves, newest first, and what came of each',
      options: {
        suite: ['NAME', 'only those of this suite', text.optional()],
        state: [
          'STATE',
          'only those that are started, refused, taken or waiting',
          wordOption(['started', 'refused', 'taken', 'waiting']).optional(),
        ],
        limit: limitOption,
      },
      run: async ({ options: { suite, state, limit }, coordinator }) => {
        const found = suite === undefined ? undefined : await findSuite(coordinator, suite);
        if (found?.ok === false) return found;
        const asked = { suiteId: found?.id, state: state && constantOf(state) };
        const read = await readList(limit, async (cut) => {
          const sent = await coordinator.patient.ask(ListScheduledRunsDocument, { ...asked, ...cut });
          return sent.ok ? { ok: true, answer: sent.answer.scheduledRuns } : sent;
        });
        if (!read.ok) return read;
        const things = read.answer.nodes.map(({ dueAt, suite: of, suiteId, state: now, reason, run }) => ({
          ...{ due_at: dueAt, suite: of?.name ?? suiteId, state: shownWord(now), run: run?.id ?? null, reason },
        }));
        return { ok: true, told: { things, hasMore: read.answer.hasMore } };
      },
    }),
    set: verb({
      takes: ['SUITE'],
      does: 'let a suite run by itself, with --every or with --cron',
      options: {
        every: [
          'TIME',
          'hourly, daily or weekly',
          wordOption(['hourly', 'daily', 'weekly'] satisfies [ScheduleType, ...ScheduleType[]]).optional(),
        ],
        at: ['HH:MM', 'time of day of a daily or weekly one', text.optional()],
        day: ['N', 'day of a weekly one, 0 is Sunday', wholeNumberOption(0, 6).optional()],
        cron: ['EXPRESSION', 'a cron expression such as "30 2 * * 1-5"', text.optional()],
        'time-zone': ['ZONE', 'such as Europe/Berlin; UTC unless set', text.optional()],
        'jitter-minutes': ['N', 'up to how many minutes later it may begin', wholeNumberOption(0, 60).optional()],
      },
      run: async ({ words: [word = ''], options, coordinator }) => {
        const { every, at, day, cron } = options;
        if ((every === undefined) === (cron === undefined))
          return { ok: false, usage: 'Say when: --every hourly, daily or weekly; or --cron EXPRESSION.' };
        return await schedule(coordinator, word, {
          ...{ scheduleType: every ?? null, scheduleCron: cron ?? null },
          ...{ scheduleTime: at ?? null, scheduleDayOfWeek: day ?? null },
          ...{
            scheduleTimeZone: options['time-zone'] ?? null,
            scheduleJitterMinutes: options['jitter-minutes'] ?? null,
          },
        });
      },
    }),
    clear: verb({
      takes: ['SUITE'],
      does: 'let a suite run only when somebody starts it',
      run: async ({ words: [word = ''], coordinator }) =>
        await schedule(coordinator, word, {
          ...{ scheduleType: null, scheduleCron: null, scheduleTime: null, scheduleDayOfWeek: null },
          ...{ scheduleTimeZone: null, scheduleJitterMinutes: null },
        }),
    }),
  },
});

export const runs = nounCommand({
  name: 'runs',
  verbs: {
    list: listVerb({
      does: 'list the runs of a coordinator, newest first',
      options: {
        suite: ['NAME', 'only those that ran a suite of this name', text.optional()],
        repository: ['OWNER/NAME', 'only those of this repository', text.optional()],
        branch: ['BRANCH', 'only those about a push to this branch', text.optional()],
        'pull-request': ['N', 'only those about this pull request', wholeNumberOption(1, 999_999_999).optional()],
        person: ['LOGIN', 'only those that somebody started or is the author of', text.optional()],
        status: ['STATUS', RunStatus.options.join(', '), wordOption(RunStatus.options).optional()],
        verdict: ['WORD', VerdictWord.options.join(', '), wordOption(VerdictWord.options).optional()],
        trigger: ['TRIGGER', RunTrigger.options.join(', '), wordOption(RunTrigger.options).optional()],
      },
      document: FindRunsDocument,
      asks: ({ suite, repository, branch, person, status, verdict, trigger, 'pull-request': pullRequest }) => ({
        filter: {
          ...{ suite, repository, branch, person, pullRequest, status: status && constantOf(status) },
          ...{ verdict: verdict && constantOf(verdict), trigger: trigger && constantOf(trigger) },
        },
      }),
      page: ({ runs: all }) => all,
      row: ({ id, status, verdictWord, head, repository, pullRequest, headSha, createdBy, createdAt, costUsd }) => ({
        ...{ id, created_at: createdAt, status: wordOf(RunStatus.options, status) },
        verdict: verdictWord === null ? null : wordOf(VerdictWord.options, verdictWord),
        ...{ passed: head.passedCases, test_runs: head.totalCases, cost_usd: costUsd },
        ...{ repository, pull_request: pullRequest, commit: headSha?.slice(0, 8) ?? null, started_by: createdBy },
      }),
    }),
    note: verb({
      takes: ['RUN', 'TEXT'],
      does: 'write notes on a run, in the place of those that it had',
      run: async ({ words: [id = '', notes = ''], coordinator: { patient } }) => {
        if (!z.uuid().safeParse(id).success) return { ok: false, usage: `${id} is not the id of a run.` };
        return deedOf(
          await patient.ask(WriteRunNotesDocument, { id, notes }),
          ({ updateRunNotes }) => updateRunNotes,
          ({ run }) => ({ did: `Run ${run.id} has the notes.`, answer: { run_id: run.id, notes: run.notes } }),
        );
      },
    }),
  },
});
