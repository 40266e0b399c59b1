import type { Variant } from '@proofmark/contracts/case-work';
import type { ErrorKind } from '@proofmark/contracts/error-kind';
import type { VerdictWord } from '@proofmark/contracts/gate';
import type { CaseStatus, Conclusion } from '@proofmark/contracts/verdict';
import type {
  CaseLife,
  Difficulty,
  RunStatus,
  RunTrigger,
  SuiteRunPurpose,
  TestRunState,
} from '@proofmark/contracts/words';
import type { GraphQLSchema } from 'graphql';
import { builder } from './builder.ts';
import { UnknownWord } from './graphql-error.ts';

/** A GraphQL enum over words of the contracts, each with its sentence: `no-baseline` becomes NO_BASELINE. */
export function enumOf<const Word extends string>(name: string, description: string, words: Record<Word, string>) {
  const values = Object.entries<string>(words).map(([word, sentence]) => [
    constant(word),
    { value: word, description: sentence },
  ]);
  return builder.enumType<string, Record<string, { value: Word; description: string }>>(name, {
    description,
    values: Object.fromEntries(values),
  });
}

function constant(word: string): string {
  return word.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

/** What is stored and in no list here was written by a newer version; the usual error would blame whoever asked. */
export function tellUnknownWords(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!('getValues' in type)) continue;
    const serialize = type.serialize.bind(type);
    type.serialize = (word) => {
      try {
        return serialize(word);
      } catch {
        const told = JSON.stringify(word).slice(0, 100);
        throw new UnknownWord(
          `${told} is stored here, and no ${type.name} that this version knows: a newer coordinator has written it. Ask that one, or update this one.`,
        );
      }
    };
  }
  return schema;
}

export const RunStatusType = enumOf<RunStatus>(
  'RunStatus',
  'Where a run or a suite run stands. The last three are final.',
  {
    pending: 'Accepted; no runner has taken anything of it yet.',
    running: 'At least one test run was taken by a runner.',
    completed: 'Every test run has a result.',
    failed: 'It ended early, for example at its deadline; see the reason.',
    cancelled: 'Somebody or a newer commit ended it.',
  },
);

export const TimeOrderType = enumOf('TimeOrder', 'The order of a list of runs or suite runs.', {
  newest: 'What was accepted last comes first.',
  oldest: 'What was accepted first comes first.',
  'last-ended': 'What ended last comes first; what is open is left out.',
});

export const RunTriggerType = enumOf<RunTrigger>('RunTrigger', 'What started a run.', {
  manual: 'A person, with the command line or a button.',
  schedule: 'The schedule of a suite.',
  ci: 'A job of a CI system.',
  api: 'A program that called this API.',
});

export const PurposeType = enumOf<SuiteRunPurpose>('SuiteRunPurpose', 'Why a suite run was made.', {
  first: 'The run asked for it.',
  confirm: 'It settles a suspicion with fresh trials of all cases.',
  rejudge: 'It judges stored answers of the base again, because the judge has changed; no agent is asked.',
  calibrate: 'It judges labelled answers, to see how far the judge agrees with people; no agent is asked.',
  drift: 'It brings more trials of a base that answers otherwise than in its history.',
});

export const VariantType = enumOf<Variant>('Variant', 'Which side of a comparison was run.', {
  head: 'The only side: compared with earlier results.',
  baseline: 'The reference side of a comparison within one run.',
  candidate: 'The side that is judged in a comparison within one run.',
});

export const TestRunStatusType = enumOf<TestRunState>(
  'TestRunStatus',
  'Where a test run stands. The last four are final.',
  {
    queued: 'Waits for a runner.',
    running: 'A runner holds it.',
    passed: 'Every check that counts passed.',
    failed: 'The agent answered, and a check failed.',
    skipped: 'Not executed; see the reason.',
    error: 'There is no verdict about the agent; see the kind of error.',
  },
);

export const ErrorKindType = enumOf<ErrorKind>('ErrorKind', 'Why a test run has no verdict.', {
  agent: 'The agent or its model gave no usable answer.',
  timeout: 'The agent took too long.',
  limit: 'A limit on turns, size or cost ended it.',
  variables: 'A variable has no value or a wrong one.',
  files: 'A file of the case cannot be read.',
  simulator: 'The simulated user failed.',
  mock: 'A mocked tool had no answer.',
  judge: 'A judge gave no verdict.',
  lost: 'No result came back from any runner.',
});

export const VerdictWordType = enumOf<VerdictWord>('VerdictWord', 'What the comparison with the baseline says.', {
  regressed: 'The agent got worse, and the statistics support it.',
  suspected: 'The agent may have got worse; it is not proven.',
  insufficient: 'Too little was scored to compare, or a metric was measured in too few cases.',
  inconclusive: 'The results allow no statement either way.',
  unchanged: 'No sign of a change.',
  improved: 'The agent got better, and the statistics support it.',
  'no-baseline': 'There is nothing to compare with.',
  error: 'Nothing could be judged.',
});

export const ConclusionType = enumOf<Conclusion>('Conclusion', 'How a check run of the forge ends, in its words.', {
  success: 'It is fine to merge.',
  neutral: 'Neither fine nor refused: somebody should look.',
  failure: 'The gate says no.',
  cancelled: 'Ended before it had a verdict.',
  timed_out: 'The deadline came first.',
  action_required: 'A maintainer has to approve something first.',
  skipped: 'Not affected by the change.',
});

export const CaseResultType = enumOf<CaseStatus>(
  'CaseResult',
  'What the repetitions of a case come to, by the reducer of its suite.',
  {
    passed: 'The case passed as a whole.',
    failed: 'The case did not pass.',
    error: 'Nothing of it could be judged.',
    skipped: 'Nothing of it was executed.',
  },
);

export const CaseStatusType = enumOf<CaseLife>('CaseStatus', 'Where a case is in its life. Only active cases run.', {
  draft: 'It is being written and does not run.',
  active: 'It runs with its suite.',
  archived: 'Kept, and run no more.',
});

export const DifficultyType = enumOf<Difficulty>('Difficulty', 'How hard a case is meant to be.', {
  normal: 'It is an everyday question.',
  hard: 'Meant to be difficult.',
});

export const WhoReportsType = enumOf('Reporting', 'Who writes checks and comments.', {
  APP: 'The coordinator, as the App that is installed on the repository.',
  NONE: 'Nobody here: the job writes what it was given.',
});

export const ScopeType = enumOf('Scope', 'What a token may do.', {
  'runs:read': 'Read runs and their results.',
  'runs:write': 'Start and cancel runs.',
  'baseline:write': 'Start runs that others are compared with.',
  'pull-requests:write': 'Start runs of pull requests, whose checks and comment then say what they found.',
  'queries:large': 'Ask requests that cost ten times as much as others may. No other scope stands for it.',
  admin: 'Everything, tokens and repositories included.',
});
