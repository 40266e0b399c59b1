import { array, nullable, number, object, optional, string } from 'zod/mini';

const Details = object({
  missingPhrases: optional(array(string())),
  matchedPhrases: optional(array(string())),
  similarityScore: optional(nullable(number())),
  threshold: optional(number()),
  reasoning: optional(string()),
});

/** Why a check ended as it did, in one line. */
export function checkReason(status: string, error: string | null, details: unknown): string {
  if (error !== null) return error;
  const {
    missingPhrases = [],
    matchedPhrases = [],
    similarityScore,
    threshold,
    reasoning,
  } = Details.safeParse(details).data ?? {};
  const parts = [
    missingPhrases.length > 0 ? `missing ${missingPhrases.map((phrase) => `“${phrase}”`).join(', ')}` : '',
    status !== 'pass' && matchedPhrases.length > 0
      ? `found ${matchedPhrases.map((phrase) => `“${phrase}”`).join(', ')}`
      : '',
    typeof similarityScore === 'number'
      ? `similarity ${similarityScore.toFixed(2)} of at least ${threshold ?? 'nothing'}`
      : '',
    reasoning ?? '',
  ].filter((part) => part !== '');
  return parts.length > 0 ? parts.join('; ') : `${status}ed`;
}
