import { enumOf } from '../enum-of.ts';

export const VariantType = enumOf('Variant', 'Which side of a comparison was run.', {
  head: 'The only side: compared with earlier results.',
  baseline: 'The reference side of a comparison within one run.',
  candidate: 'The side that is judged in a comparison within one run.',
});
