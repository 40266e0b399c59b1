import type { InputRef } from '@pothos/core';
import type { Problem } from '@proofmark/contracts/problem';
import { StartRunInput } from '@proofmark/contracts/start-run-input';
import type { z } from 'zod';
import type { Caller } from '../../access/caller.ts';
import { RepeatInput, repeatTestRun } from '../../start/repeat-test-run.ts';
import { RerunInput, rerunRun } from '../../start/rerun-run.ts';
import { type StartRunError, type StartRunPorts, startRun } from '../../start/start-run.ts';
import { StartStoredRunInput, type StoredRunAnswer, startStoredRun } from '../../start/start-stored-run.ts';
import { builder, type InputFields } from '../builder.ts';
import { callerOf, type GraphqlContext } from '../context.ts';
import {
  asMember,
  IdempotencyConflictType,
  InvalidDefinitionsType,
  InvalidInputType,
  invalidInput,
  MissingBlobsType,
  memberOf,
  NotAllowedType,
  NotFoundType,
  notAllowed,
  notFound,
  ProblemType,
  RateLimitedType,
  withoutNulls,
} from '../user-errors.ts';
import { enumOf, WhoReportsType } from '../words.ts';
import { type RunView, readRun } from './read-runs.ts';
import { RunType } from './runs.ts';
import { StartRunInputType, StartStoredRunInputType } from './start-run-input.ts';

const DispatchType = enumOf('Dispatch', 'When the first test runs leave.', {
  IMMEDIATE: 'They leave with this answer.',
  DELAYED: 'As soon as the broker is back; the run is stored.',
});

interface Started {
  run: RunView;
  created: boolean;
  dispatch: 'IMMEDIATE' | 'DELAYED';
  warnings: Problem[];
}

const StartedType = builder.objectRef<Started>('StartRunSuccess').implement({
  description: 'The run is stored and will be executed, whatever happens to this connection.',
  fields: (t) => ({
    run: t.field({ type: RunType, description: 'The run that was started or joined.', resolve: ({ run }) => run }),
    created: t.exposeBoolean('created', {
      description: 'False when the idempotency key, or another job with the same content, had started it before.',
    }),
    warnings: t.field({
      type: [ProblemType],
      description: 'What is doubtful in the files, though it stops nothing.',
      resolve: ({ warnings }) => warnings,
    }),
    reporting: t.field({
      type: WhoReportsType,
      description: 'Who writes checks and comments of this run.',
      resolve: ({ run }, _args, { ports }) =>
        run.host !== null && ports.hasApp(run.host) && run.hasInstallation ? 'APP' : 'NONE',
    }),
    dispatch: t.expose('dispatch', { type: DispatchType, description: 'When the first test runs leave.' }),
  }),
});

/** Why no run was started, whatever it was to be started from. */
const startFailureTypes = [
  InvalidDefinitionsType,
  IdempotencyConflictType,
  RateLimitedType,
  MissingBlobsType,
  NotAllowedType,
  InvalidInputType,
  NotFoundType,
];

/** The member of the result that says why nothing was started. */
function failedStart(error: StartRunError) {
  const { code } = error;
  switch (error.code) {
    case 'INVALID_DEFINITIONS':
      return asMember('InvalidDefinitions', {
        code,
        message: `The definitions have ${counted(error.problems.length)}.`,
        problems: error.problems,
      });
    case 'INVALID_INPUT': {
      const problems = error.problems.map(({ path, code: word, message, hint }) => ({
        path,
        code: word,
        message,
        hint,
      }));
      return asMember('InvalidInput', { code, message: problems.map(inWords).join('; '), problems });
    }
    case 'IDEMPOTENCY_CONFLICT':
      return asMember('IdempotencyConflict', {
        code,
        message: 'This idempotency key belongs to a run with other input.',
        runId: error.runId,
      });
    case 'RATE_LIMITED':
      return asMember('RateLimited', error);
    case 'MISSING_BLOBS': {
      const message = `${error.digests.length} of the files of the cases must be uploaded first.`;
      return asMember('MissingBlobs', { ...error, message });
    }
    case 'FORBIDDEN':
      return notAllowed(error.message);
  }
}

const inWords = ({ message, hint }: { message: string; hint: string | undefined }): string =>
  hint === undefined ? message : `${message}. ${hint}`;

function counted(problems: number): string {
  return problems === 1 ? 'one problem' : `${problems} problems`;
}

/** The member of a result for a run that was started, joined or refused; its first tasks leave from here. */
async function answerStart(context: GraphqlContext, started: StoredRunAnswer) {
  if (!started.ok)
    return started.error.code === 'NOT_FOUND' ? notFound(started.error.what) : failedStart(started.error);
  const { tenantId } = callerOf(context);
  const dispatch = context.ports.runStarted(tenantId, started.runId);
  const run = await readRun(context.ports.database, tenantId, started.runId);
  return run === null ? notFound('run') : asMember('StartRunSuccess', { run, ...started, dispatch });
}

/** One way to start a run: its input, the rules of that input, and the start itself. */
interface Start<Given> {
  name: string;
  description: string;
  input: InputRef<object>;
  asks: string;
  rules: z.ZodType<Given>;
  start: (ports: StartRunPorts, caller: Caller, given: Given) => Promise<StoredRunAnswer>;
}

function defineStart<Given>({ name, description, input, asks, rules, start }: Start<Given>): void {
  const result = builder.unionType(`${name.charAt(0).toUpperCase()}${name.slice(1)}Result`, {
    description: 'What came of it.',
    types: [StartedType, ...startFailureTypes],
    resolveType: memberOf,
  });
  builder.mutationField(name, (t) =>
    t.field({
      type: result,
      authScopes: { write: true },
      args: { input: t.arg({ type: input, required: true, description: asks }) },
      description,
      resolve: async (_root, args, context) => {
        const given = withoutNulls(args.input);
        const parsed = rules.safeParse(given);
        if (!parsed.success) return invalidInput(parsed.error, given);
        return answerStart(context, await start(context.ports.starting, callerOf(context), parsed.data));
      },
    }),
  );
}

defineStart({
  name: 'startRun',
  description: 'Starts a run, or returns the one that the idempotency key started before.',
  input: StartRunInputType,
  asks: 'What to run, and how it was started.',
  rules: StartRunInput,
  start: startRun,
});

defineStart({
  name: 'startStoredRun',
  description: 'Starts a run of a stored suite or of a single stored test. The definitions stay as they are.',
  input: StartStoredRunInputType,
  asks: 'What to run, and how it was started.',
  rules: StartStoredRunInput,
  start: startStoredRun,
});

const RerunWhatType = enumOf('RerunWhat', 'Which cases of a run are run again.', {
  all: 'All that the run was about.',
  failed: 'Those with a test run that failed or ended in an error.',
  errored: 'Those with a test run that ended in an error.',
});

/** What every repeat is given beside what it repeats. */
const ofRepeat = (t: InputFields) => ({
  idempotencyKey: t.string({
    required: true,
    description: 'The same key is the same repeat. 1 to 200 printable ASCII characters.',
  }),
  notes: t.string({ description: 'Kept with the new run.' }),
});

const RepeatWhatType = enumOf('RepeatWhat', 'How much of a test run is repeated.', {
  all: 'Its agent answers again, and is judged.',
  judging: 'Its stored answer is judged again by the checks of then: no agent is asked.',
});

defineStart({
  name: 'repeatTestRun',
  description:
    'Starts a new run of one test run with the definitions, the variables and the seed of then, or of its judging alone. The old result stays as it is; the new run is compared with nothing and writes no checks.',
  input: builder.inputType('RepeatTestRunInput', {
    description: 'A test run to repeat.',
    fields: (t) => ({
      testRunId: t.field({ type: 'UUID', required: true, description: 'The test run, which has ended.' }),
      what: t.field({ type: RepeatWhatType, description: 'How much of it; absent: ALL.' }),
      ...ofRepeat(t),
    }),
  }),
  asks: 'What to repeat, and under which key.',
  rules: RepeatInput,
  start: repeatTestRun,
});

defineStart({
  name: 'rerunRun',
  description:
    'Starts a new run with the definitions, the variables and the seeds of an old one, whatever has changed since. It is compared with nothing and writes no checks.',
  input: builder.inputType('RerunRunInput', {
    description: 'A run to repeat.',
    fields: (t) => ({
      runId: t.field({ type: 'UUID', required: true, description: 'The run that is repeated.' }),
      only: t.field({ type: RerunWhatType, description: 'Which of its cases run again; absent: ALL.' }),
      ...ofRepeat(t),
    }),
  }),
  asks: 'What to repeat, and under which key.',
  rules: RerunInput,
  start: rerunRun,
});
