import { enumOf } from '../enum-of.ts';

export const CaseStatusType = enumOf('CaseStatus', 'Where a case is in its life. Only active cases run.', {
  draft: 'Being written.',
  active: 'Runs.',
  archived: 'Kept, and run no more.',
});

export const DifficultyType = enumOf('Difficulty', 'How hard a case is meant to be.', {
  normal: 'Everyday.',
  hard: 'Meant to be difficult.',
});
