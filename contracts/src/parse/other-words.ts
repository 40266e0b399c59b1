import { comparable, nearMatch } from './near-match.ts';

/** What other tools call a thing, without `-`, `_` and capitals; the first of our words that is possible is meant. */
const otherWords: ReadonlyMap<string, readonly string[]> = new Map([
  ...sameAs(['contains_phrases'], 'contains icontains containsall icontainsall includes substring'),
  ...sameAs(['not_contains'], 'notincludes noticontains excludes doesnotcontain'),
  ...sameAs(['semantic_similarity'], 'similar embeddingsimilarity cosinesimilarity embedding bertscore'),
  ...sameAs(['llm_judge'], 'llmrubric rubric modelgradedclosedqa llmasajudge judge factuality'),
  ...sameAs(['equals', 'equality'], 'exact exactmatch stringmatch equal'),
  ...sameAs(['regex'], 'matches match regexp pattern'),
  ...sameAs(['is_json'], 'json validjson isvalidjson'),
  ...sameAs(['length'], 'wordcount maxlength minlength charactercount'),
  ...sameAs(['latency'], 'duration responsetime maxlatency'),
  ...sameAs(['tool_count'], 'toolcalls toolcallcount numberoftoolcalls'),
  ...sameAs(['f1'], 'f1score tokenf1'),
  ...sameAs(['task_adherence'], 'instructionfollowing'),
  ...sameAs(['contextual_precision'], 'contextprecision'),
  ...sameAs(['contextual_recall'], 'contextrecall'),
  ...sameAs(['contextual_relevancy'], 'contextrelevance contextrelevancy'),
  ...sameAs(['answer_relevancy'], 'answerrelevance responserelevancy'),
]);

function sameAs(ours: readonly string[], theirs: string): [string, readonly string[]][] {
  return theirs.split(' ').map((word) => [word, ours]);
}

/** What was meant by a word that is none of the candidates: the same thing in another tool's words, else the nearest one. */
export function meantWord(name: string, candidates: readonly string[]): string | undefined {
  const known = otherWords.get(comparable(name))?.find((word) => candidates.includes(word));
  return known ?? nearMatch(name, candidates);
}
