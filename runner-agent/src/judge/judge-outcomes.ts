import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { OutcomeCriterion, OutcomesVerdict } from '@proofmark/contracts/case-outcome';
import type { Instrument } from '@proofmark/contracts/case-work';
import type { TestCase } from '@proofmark/contracts/test-case';
import { judgeHash, judgesOf } from '@proofmark/domain/content-hashes';
import { truncateResponse } from '@proofmark/domain/kept-text';
import type { Tried } from '../retry/try-again.ts';
import { askStructured, type MeasuringContext, measuringCall } from './ask-structured.ts';
import { fileBlocks, transcriptText } from './evidence.ts';
import {
  type Criterion,
  type JudgedConversation,
  matchCriteria,
  OutcomeAnswer,
  outcomeCriteria,
  outcomeRequest,
} from './outcome-prompt.ts';
import { judgedCalls, shareAnswer } from './share-answer.ts';

const reasoningCharacters = 4_000;

/** What a judge is shown of what happened. */
type JudgedState = Pick<JudgedConversation, 'files' | 'tools' | 'transcript'> & {
  toolCalls: JudgedConversation['calls'];
};

/** Who judges, by which criteria. */
interface JudgeContext extends MeasuringContext {
  work: MeasuringContext['work'] & {
    case: JudgedConversation['case'] & Pick<TestCase, 'expected_outcomes' | 'ground_truth'>;
    instrument: Pick<Instrument, 'judge' | 'panel'>;
  };
}

/**
 * Judges `expected_outcomes` and `evaluation_criteria_override` of the case; null when it has neither. An agent that said
 * nothing fails every criterion without a call; a judge that cannot be used is an error, never a pass.
 */
export async function judgeOutcomes(state: JudgedState, context: JudgeContext): Promise<OutcomesVerdict | null> {
  const { case: testCase, instrument } = context.work;
  const criteria = outcomeCriteria(testCase);
  if (criteria.length === 0) return null;
  const judges = judgesOf(instrument);
  const hash = judges.length === 0 ? null : judgeHash(judges, testCase.evaluation_criteria_override);
  if (!hasSpoken(state)) return verdictOn(criteria.map(asUnmet), { judgeHash: hash });
  if (judges.length === 0) return noVerdict('No judge is configured for the suite', hash);
  const { toolCalls: calls, files, tools, transcript } = state;
  const conversation = {
    case: testCase,
    criteria,
    files,
    groundTruth: testCase.ground_truth,
    calls,
    tools,
    transcript,
  };
  const votes = await Promise.all(judges.map((model, member) => ask({ model, member }, conversation, context)));
  return countVotes(votes, { criteria, hash });
}

interface Vote {
  model: string;
  criteria: OutcomeCriterion[];
  injectionAttempt: boolean;
  text: string;
}

type Ballot = { ok: true; value: Vote } | { ok: false; message: string };

interface Member {
  model: ModelSettings;
  member: number;
}

async function ask(
  { model, member }: Member,
  conversation: JudgedConversation,
  context: JudgeContext,
): Promise<Ballot> {
  const { models, signal, ports } = context;
  // Members of a panel vote for themselves, also those that are the same model.
  const question = { model, member, ...judged(conversation) };
  const tried = await shareAnswer<Vote>({ models, signal, place: ports.place }, question, () =>
    vote(model, conversation, context),
  );
  return tried.ok ? { ok: true, value: tried.value } : { ok: false, message: tried.failure.message };
}

function vote(model: ModelSettings, conversation: JudgedConversation, context: JudgeContext): Promise<Tried<Vote>> {
  return measuringCall<Vote>(context, async (signal) => {
    const request = outcomeRequest(conversation, context.ports.random);
    const question = {
      ...{ model, request, shape: OutcomeAnswer, who: 'The judge' },
      problemOf: (answer: OutcomeAnswer) =>
        matchCriteria(answer, conversation.criteria)
          ? undefined
          : 'it does not decide about each criterion exactly once',
    };
    const answered = await askStructured(context.models, question, signal);
    if (!answered.ok) return answered;
    const criteria = matchCriteria(answered.value.value, conversation.criteria) ?? [];
    const { injection_attempt: injectionAttempt } = answered.value.value;
    return {
      ok: true,
      value: { model: model.configuration, criteria, injectionAttempt, text: answered.value.text },
    };
  });
}

/** What the judge sees of a conversation: neither ids nor times. */
function judged({ case: testCase, criteria, files, groundTruth, calls, tools, transcript }: JudgedConversation) {
  const { name, description, input, initial_message, evaluation_criteria_override } = testCase;
  return {
    task: { name, description, input, initial_message, evaluation_criteria_override },
    criteria,
    files: fileBlocks(files),
    groundTruth,
    calls: judgedCalls(calls),
    tools,
    transcript: transcriptText(transcript),
  };
}

function countVotes(
  ballots: readonly Ballot[],
  { criteria, hash }: { criteria: readonly Criterion[]; hash: string | null },
): OutcomesVerdict {
  const votes = ballots.flatMap((ballot) => (ballot.ok ? [ballot.value] : []));
  const failure = ballots.find((ballot) => !ballot.ok);
  if (votes.length === 0) return noVerdict(failure?.message ?? 'No judge answered', hash);
  const decided = majorityOf(
    criteria,
    votes.map((vote) => vote.criteria),
    ballots.length,
  );
  return verdictOn(decided, {
    judgeHash: hash,
    injectionAttempt: votes.some((vote) => vote.injectionAttempt),
    answers: votes.map(({ model, text }) => ({ model, text: truncateResponse(text).text })),
  });
}

/** Whether the agent said anything at all: silence is never an outcome reached. */
const hasSpoken = ({ transcript }: JudgedState): boolean =>
  transcript.some(({ role, text }) => role === 'agent' && text.trim() !== '');

const asUnmet = (criterion: Criterion): OutcomeCriterion => ({
  ...criterion,
  reasoning: 'empty response',
  status: 'failed',
});

function verdictOn(criteria: OutcomeCriterion[], found: Partial<OutcomesVerdict>): OutcomesVerdict {
  const shortened = criteria.map((criterion) => ({
    ...criterion,
    reasoning: truncateResponse(criterion.reasoning, reasoningCharacters).text,
  }));
  return { ...concludeOutcomes(criteria), criteria: shortened, ...noFindings, ...found };
}

function noVerdict(error: string, hash: string | null): OutcomesVerdict {
  return { passed: null, score: null, criteria: [], error, ...noFindings, judgeHash: hash };
}

const noFindings = { injectionAttempt: false, judgeHash: null, answers: [] };

interface Conclusion {
  passed: boolean | null;
  score: number | null;
  error: string | null;
}

/** Derived by code, never asked of a model: any failed criterion fails, any inconclusive one leaves it open, else passed. */
function concludeOutcomes(criteria: readonly OutcomeCriterion[]): Conclusion {
  const open = criteria.filter(({ status }) => status === 'inconclusive');
  const hasFailed = criteria.some(({ status }) => status === 'failed');
  if (criteria.length === 0) return { passed: null, score: null, error: 'The judge decided about no criterion' };
  if (!hasFailed && open.length > 0) {
    const ids = open.map(({ id }) => id).join(', ');
    return { passed: null, score: null, error: `The judge could not decide about ${ids}` };
  }
  const score = criteria.filter(({ status }) => status === 'passed').length / criteria.length;
  return { passed: !hasFailed, score, error: null };
}

/**
 * One decision per criterion from a panel of `members`, of which only some may have answered. More than half of all
 * members must agree; silence and inconclusive are no votes, and without a majority the criterion stays inconclusive.
 */
function majorityOf(
  criteria: readonly Criterion[],
  votes: readonly (readonly OutcomeCriterion[])[],
  members: number,
): OutcomeCriterion[] {
  return criteria.map(({ id, requirement }) => {
    const decisions = votes.flatMap((vote) => vote.filter((decision) => decision.id === id));
    const winners = (['passed', 'failed'] as const)
      .map((status) => decisions.filter((decision) => decision.status === status))
      .find((agreeing) => agreeing.length > members / 2);
    const reasoning = (winners ?? decisions).map((decision) => decision.reasoning).join('\n');
    return { id, requirement, reasoning, status: winners?.[0]?.status ?? 'inconclusive' };
  });
}
