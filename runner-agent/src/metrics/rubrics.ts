export type RubricInput =
  | 'query'
  | 'response'
  | 'context'
  | 'ground_truth'
  | 'instructions'
  | 'calls'
  | 'results'
  | 'tools';

/**
 * How a model rates one quality of an answer: data, which `rubric-evaluator` turns into a request. A change of the texts
 * raises EVALUATOR_VERSION, which a test watches.
 */
export interface Rubric {
  /** Raw scores and what each stands for, lowest first. */
  levels: readonly (readonly [score: number, meaning: string])[];
  rated: string;
  ignored: string;
  /** Invented, one low and one high. */
  examples: readonly [low: string, high: string];
  needs: readonly RubricInput[];
  /** Shown where it exists. */
  optional?: readonly RubricInput[];
  /** The lowest raw score that passes where no threshold is set. */
  passesFrom: number;
  outputTokens: number;
}

const usual = { passesFrom: 3, outputTokens: 800 };

/** The model-graded metrics of type `standard`. */
export const rubrics: ReadonlyMap<string, Rubric> = new Map([
  [
    'groundedness',
    {
      ...usual,
      needs: ['response', 'context'],
      optional: ['query'],
      rated:
        'How far the response rests on the context. The context is the truth, even where it is wrong about the world.',
      ignored: 'Style, length and politeness; what you know yourself.',
      levels: [
        [1, 'The response contradicts the context, or is about something else.'],
        [2, 'It says something that matters and that the context does not say, or it is too vague to be checked.'],
        [3, 'What matters in it is supported by the context; a detail beside it is not.'],
        [
          4,
          'All of it is supported by the context, but something that the question needs and the context says is left out.',
        ],
        [
          5,
          'All of it is supported by the context, and nothing that the question needs and the context says is missing.',
        ],
      ],
      examples: [
        'Context: "The pool is closed on Mondays." Response: "The pool is open every day." Score 1: it contradicts the context.',
        'Context: "The pool is closed on Mondays." Response: "You cannot swim on Mondays, the pool is closed." Score 5. Saying that the context does not tell is supported where it does not.',
      ],
    },
  ],
  [
    'relevance',
    {
      ...usual,
      needs: ['query', 'response'],
      rated: 'How well the response addresses what was asked.',
      ignored:
        'Whether its facts are true; style; length as such: a short answer that says what was asked is a full one.',
      levels: [
        [1, 'It has nothing to do with the question.'],
        [2, 'It is about the same subject, but of no use for the question.'],
        [3, 'It answers a part of the question, or hides the answer among much that was not asked.'],
        [4, 'It answers the question, with a small gap or with something beside it that was not asked.'],
        [5, 'It answers what was asked, all of it and nothing else.'],
      ],
      examples: [
        'Query: "When does the train leave?" Response: "Trains are comfortable." Score 2.',
        'Query: "When does the train leave?" Response: "At 8:14." Score 5: nothing else was asked.',
      ],
    },
  ],
  [
    'coherence',
    {
      ...usual,
      needs: ['query', 'response'],
      rated: 'How well the sentences of the response hang together and lead from one to the next.',
      ignored: 'Whether it is true; how polite it is.',
      levels: [
        [1, 'Disconnected fragments.'],
        [2, 'Some order, but it jumps and repeats, and is hard to follow.'],
        [3, 'Mostly connected, with gaps that the reader has to fill.'],
        [4, 'Connected and clear, with small rough places.'],
        [5, 'A logical whole that is followed without effort.'],
      ],
      examples: [
        'Query: "How do I reset it?" Response: "Button. The manual, five seconds. Also." Score 1.',
        'Query: "How do I reset it?" Response: "Hold the button for five seconds. When the light turns green, let go." Score 5.',
      ],
    },
  ],
  [
    'fluency',
    {
      ...usual,
      needs: ['response'],
      rated: 'The quality of the language: grammar, choice of words, flow.',
      ignored: 'What the response says, and whether it is true or fits a question.',
      levels: [
        [1, 'It cannot be read.'],
        [2, 'It is understood with effort; many errors.'],
        [3, 'It is understood well, with some errors or clumsy wording.'],
        [4, 'Correct and natural.'],
        [5, 'Masterly: precise, varied and effortless.'],
      ],
      examples: [
        'Response: "me order want back is" Score 1.',
        'Response: "Your parcel left our warehouse this morning and should reach you by Thursday." Score 4.',
      ],
    },
  ],
  [
    'similarity',
    {
      ...usual,
      needs: ['query', 'response', 'ground_truth'],
      rated: 'How much of its meaning the response shares with the reference answer to the same question.',
      ignored: 'Wording, order, length and style; what you know yourself.',
      levels: [
        [1, 'They share no meaning.'],
        [2, 'They share little; most differs.'],
        [3, 'They share about half, or the main point with clear differences.'],
        [4, 'They mean nearly the same; details differ.'],
        [5, 'They mean the same.'],
      ],
      examples: [
        'Reference: "Refunds take 14 days." Response: "We do not sell vouchers." Score 1.',
        'Reference: "Refunds take 14 days." Response: "You have your money back within two weeks." Score 5.',
      ],
    },
  ],
  [
    'intent_resolution',
    {
      ...usual,
      needs: ['query', 'response'],
      optional: ['results'],
      rated:
        'Whether the request of the user was resolved, not merely understood. Where tools were called, what was done is what they returned, not what the response says.',
      ignored: 'Style, and how hard the agent tried.',
      levels: [
        [1, 'The request was missed or refused without a reason.'],
        [2, 'The request was recognised, but next to nothing of it was done.'],
        [3, 'A part of it was resolved; the user still has to act.'],
        [4, 'It was resolved with a small gap.'],
        [5, 'It was resolved completely.'],
      ],
      examples: [
        'Query: "Cancel my order." Response: "I see that you want to cancel. Anything else?" Score 2.',
        'Query: "Cancel my order." Response: "Order 17 is cancelled, and the 20 euros are on their way back." Score 5.',
      ],
    },
  ],
  [
    'tool_call_accuracy',
    {
      needs: ['query', 'tools'],
      optional: ['calls', 'response'],
      passesFrom: 3,
      outputTokens: 3_000,
      rated:
        'Whether the agent called the tools that the request needs, with the right parameters taken from the conversation.',
      ignored: 'What the tools returned, and the wording of the response.',
      levels: [
        [1, 'The calls have nothing to do with the request.'],
        [2, 'Parameters are wrong or invented, or a call that the request needs is missing.'],
        [3, 'The right calls were made, but needless ones as well.'],
        [4, 'The right calls were made after a mistake that the agent corrected itself.'],
        [5, 'Exactly the right calls with the right parameters.'],
      ],
      examples: [
        'Query: "Where is order 17?" Calls: get_order {"id": 71}. Score 2: the number is wrong.',
        'Query: "Where is order 17?" Calls: get_order {"id": 17}. Score 5.',
      ],
    },
  ],
  [
    'task_adherence',
    {
      needs: ['instructions', 'query', 'response'],
      optional: ['results'],
      passesFrom: 1,
      outputTokens: 3_000,
      rated: 'Whether the agent kept to its instructions: its goal, its rules and the procedure they prescribe.',
      ignored: 'Small lapses without consequence, and style where the instructions say nothing about it.',
      levels: [
        [0, 'A material breach: a rule broken, the goal abandoned or a prescribed step left out.'],
        [1, 'Goal, rules and procedure were kept. In doubt this is the score.'],
      ],
      examples: [
        'Instructions: "Never promise a refund." Response: "You will get your money back." Score 0.',
        'Instructions: "Never promise a refund." Response: "I have passed your case to a colleague." Score 1.',
      ],
    },
  ],
] satisfies [string, Rubric][]);
