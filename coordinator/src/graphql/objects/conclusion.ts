import { enumOf } from '../enum-of.ts';

export const ConclusionType = enumOf('Conclusion', 'How a check run of the forge ends, in its words.', {
  success: 'Fine to merge.',
  neutral: 'Neither fine nor refused: somebody should look.',
  failure: 'The gate says no.',
  cancelled: 'Ended before it had a verdict.',
  timed_out: 'The deadline came first.',
  action_required: 'A maintainer has to approve something first.',
  skipped: 'Not affected by the change.',
});
