import type { Adjustment } from '@proofmark/contracts/case-outcome';
import type { Phrase } from '@proofmark/contracts/verdict';
import { mostNames } from '../text/phrase.ts';

const settings: Readonly<Record<Adjustment['setting'], string>> = {
  temperature: 'temperature',
  seed: 'seed',
  reasoning_effort: 'reasoning effort',
  log_probabilities: 'log probabilities',
  max_tokens: 'token limit',
  structured_output: 'form of the answer',
  stream_usage: 'usage of streams',
};

/** What was asked otherwise, in a few words: "no temperature", "token limit: max_completion_tokens". */
export const adjustmentPhrase = ({ setting, instead }: Pick<Adjustment, 'setting' | 'instead'>): string =>
  instead === null ? `no ${settings[setting]}` : `${settings[setting]}: ${instead}`;

/** A sentence for each model that was asked otherwise than it was meant, because it refused that. */
export function adjustmentLines(adjustments: readonly Adjustment[]): Phrase[] {
  const byModel = Map.groupBy(adjustments, ({ configuration, model }) => JSON.stringify([configuration, model]));
  const lines = [...byModel.values()].map((ofModel): Phrase => {
    const [first] = ofModel;
    const changes = [...new Set(ofModel.map(adjustmentPhrase))].toSorted().join('; ');
    return [
      ...['The model ', { code: first?.model ?? '' }, ' (AI configuration ', { code: first?.configuration ?? '' }],
      `) was asked otherwise, because it refuses what is usual or written: ${changes}.`,
    ];
  });
  const more = lines.length - mostNames;
  return more > 0 ? [...lines.slice(0, mostNames), [`And ${more} more models were asked otherwise.`]] : lines;
}
