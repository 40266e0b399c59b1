import { enumOf } from '../enum-of.ts';

export const RunTriggerType = enumOf('RunTrigger', 'What started a run.', {
  manual: 'A person, with the command line or a button.',
  schedule: 'The schedule of a suite.',
  ci: 'A job of a CI system.',
  api: 'A program that called this API.',
});
