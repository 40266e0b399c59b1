import { twoDecimals } from '../text/format-numbers.ts';

/** What a check has found, as it is stored; each kind of check has some of it. */
export interface CheckFindings {
  matchedPhrases?: string[] | undefined;
  missingPhrases?: string[] | undefined;
  similarityScore?: number | null | undefined;
  threshold?: number | undefined;
  reasoning?: string | undefined;
  truncated?: boolean | undefined;
}

/** Why a check said what it said, in a line: phrases found and missing, a similarity, the reasoning of a judge. */
export function checkWords({ details, error }: { details: CheckFindings; error: string | null }): string {
  const { matchedPhrases = [], missingPhrases = [], similarityScore, threshold, reasoning = '', truncated } = details;
  const quoted = (phrases: readonly string[]) => phrases.map((phrase) => `“${phrase}”`).join(', ');
  const parts = [
    error ?? '',
    missingPhrases.length > 0 ? `missing ${quoted(missingPhrases)}` : '',
    matchedPhrases.length > 0 ? `found ${quoted(matchedPhrases)}` : '',
    typeof similarityScore === 'number'
      ? `similarity ${twoDecimals(similarityScore)}${threshold === undefined ? '' : `, needed ${twoDecimals(threshold)}`}`
      : '',
    truncated ? 'only the beginnings were compared' : '',
    reasoning,
  ];
  return parts.filter((part) => part !== '').join('; ');
}
