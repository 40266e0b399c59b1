import { useState } from 'preact/hooks';
import type { Reply } from '../data/ask.ts';

/** Something a reader does, and what came of it. */
interface Deed {
  isBusy: boolean;
  said: { text: string; isBad: boolean } | null;
  /** Does it and says `done`, or why nothing was done. True when it was done. */
  act: (deed: () => Promise<string | null>, done: string) => Promise<boolean>;
  refuse: (why: string) => void;
}

export function useDeed(): Deed {
  const [said, setSaid] = useState<Deed['said']>(null);
  const [isBusy, setBusy] = useState(false);
  return {
    isBusy,
    said,
    act: async (deed, done) => {
      setBusy(true);
      const problem = await deed();
      setBusy(false);
      setSaid({ text: problem ?? done, isBad: problem !== null });
      return problem === null;
    },
    refuse: (text) => setSaid({ text, isBad: true }),
  };
}

/** What came of it, also for those who hear it. */
export function WhatCame({ of: { said } }: { of: Pick<Deed, 'said'> }) {
  return (
    <p role="status" class={said?.isBad === true ? 'bad' : 'good'}>
      {said?.text}
    </p>
  );
}

/** Why a mutation did nothing; null where it was done. */
export function problemIn<Answer>(asked: Reply<Answer>, told: (answer: Answer) => object): string | null {
  if (!asked.ok) return asked.message;
  const answer = told(asked.answer);
  return 'message' in answer ? String(answer.message) : null;
}
