/** What an agent said and did in one trial of a case. */
export interface AnsweredTrial {
  repetition: number;
  passed: boolean;
  answer: string | null;
  /** Names of the tools that it called, in order. */
  tools: readonly string[];
}

/** One trial of each side, chosen so that a difference shows. Null: the side has no trial. */
export interface AnswerComparison<Trial extends AnsweredTrial = AnsweredTrial> {
  base: Trial | null;
  head: Trial | null;
  answerChanged: boolean;
  toolsChanged: boolean;
}

/** The answers and calls of a case held side by side: those of one repetition where that is possible. */
export function compareAnswers<Trial extends AnsweredTrial>(
  base: readonly Trial[],
  head: readonly Trial[],
): AnswerComparison<Trial> {
  const pairs = base.flatMap((trial) => {
    const partner = head.find(({ repetition }) => repetition === trial.repetition);
    return partner === undefined ? [] : [compare(trial, partner)];
  });
  // Sorting is stable: of pairs that differ alike the first repetition is shown.
  const [telling] = pairs.toSorted((a, b) => interest(b) - interest(a));
  if (telling !== undefined) return telling;
  return compare(
    base.find(({ passed }) => passed) ?? base[0] ?? null,
    head.find(({ passed }) => !passed) ?? head[0] ?? null,
  );
}

function compare<Trial extends AnsweredTrial>(base: Trial | null, head: Trial | null): AnswerComparison<Trial> {
  const isBoth = base !== null && head !== null;
  return {
    base,
    head,
    answerChanged: isBoth && base.answer !== head.answer,
    toolsChanged: isBoth && JSON.stringify(base.tools) !== JSON.stringify(head.tools),
  };
}

function interest({ base, head, answerChanged, toolsChanged }: AnswerComparison): number {
  const isLost = base?.passed === true && head?.passed === false;
  const isOther = base?.passed !== head?.passed;
  return (isLost ? 8 : 0) + (isOther ? 4 : 0) + (toolsChanged ? 2 : 0) + (answerChanged ? 1 : 0);
}
