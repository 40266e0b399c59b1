import { z } from 'zod';
import { bleu, f1, meteor, rougeL, rougeN } from '../lexical/lexical-scores.ts';
import { type Adapter, adapter } from './adapter.fixture.ts';

const Texts = z.object({ response: z.string(), groundTruth: z.string() });

export const textMetrics: Readonly<Record<string, Adapter>> = {
  text_metrics: adapter(Texts, ({ response, groundTruth }) => {
    const score = bleu(response, groundTruth);
    return {
      bleu: score?.score,
      bleuPrecisions: score?.precisions,
      bleuBp: score?.brevityPenalty,
      rouge: {
        rouge1: rougeN(response, groundTruth, 1),
        rouge2: rougeN(response, groundTruth, 2),
        rougeL: rougeL(response, groundTruth),
      },
      meteorNoSynonyms: meteor(response, groundTruth),
      // Measured on the reference implementation: its synonym stage finds nothing that the stems did not.
      meteorWordnet: meteor(response, groundTruth),
      f1: f1(response, groundTruth),
    };
  }),
};
