import { enumOf } from '../enum-of.ts';

export const VerdictWordType = enumOf('VerdictWord', 'What the comparison with the baseline says.', {
  regressed: 'The agent got worse, and the statistics support it.',
  suspected: 'The agent may have got worse; it is not proven.',
  insufficient: 'Too little was scored to compare, or a metric was measured in too few cases.',
  inconclusive: 'The results allow no statement either way.',
  unchanged: 'No sign of a change.',
  improved: 'The agent got better, and the statistics support it.',
  'no-baseline': 'There is nothing to compare with.',
  error: 'Nothing could be judged.',
});
