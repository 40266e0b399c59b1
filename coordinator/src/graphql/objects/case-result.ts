import { enumOf } from '../enum-of.ts';

export const CaseResultType = enumOf(
  'CaseResult',
  'What the repetitions of a case come to, by the reducer of its suite.',
  {
    passed: 'It passed.',
    failed: 'It failed.',
    error: 'Nothing of it could be judged.',
    skipped: 'Nothing of it was executed.',
  },
);
