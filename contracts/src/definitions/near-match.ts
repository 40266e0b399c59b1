const MAX_NAME_LENGTH = 64;
/** Nobody names more things than this; a hostile file that does must not cost time. */
const MAX_CANDIDATES = 500;

/** The candidate that is at most a third of the letters away from `name`, or undefined. */
export function nearMatch(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const wanted = comparable(name);
  let best: { candidate: string; distance: number } | undefined;
  let seen = 0;
  for (const candidate of candidates) {
    seen += 1;
    if (seen > MAX_CANDIDATES) break;
    if (candidate.length > MAX_NAME_LENGTH * 2) continue;
    // Any two words of one letter are a letter apart: nearness says something from three letters on.
    const allowed = candidate.length < 3 ? 0 : Math.floor(candidate.length / 3);
    const distance = editDistance(wanted, comparable(candidate), allowed);
    if (distance <= allowed && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** The words that follow a message about an unknown name: `, did you mean "x"?`, or nothing. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const match = nearMatch(name, candidates);
  return match === undefined ? '' : `, did you mean \`${match}\`?`;
}

/** A name without what people spell in different ways. */
const comparable = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]/g, '');

/** Inserted, missing, changed and swapped letters between two words; given up as soon as they are more than `allowed`. */
function editDistance(a: string, b: string, allowed: number): number {
  if (Math.abs(a.length - b.length) > allowed) return MAX_NAME_LENGTH;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = nextRow({ a, b, row }, previous, beforePrevious);
    if (Math.min(...current, ...previous) > allowed) return MAX_NAME_LENGTH;
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, b.length);
}

interface Words {
  a: string;
  b: string;
  row: number;
}

function nextRow({ a, b, row }: Words, previous: readonly number[], beforePrevious: readonly number[]): number[] {
  const current = [row];
  for (let column = 1; column <= b.length; column += 1) {
    const change = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
    const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
    const swap = isSwapped ? at(beforePrevious, column - 2) + 1 : change;
    current.push(Math.min(change, swap, at(previous, column) + 1, at(current, column - 1) + 1));
  }
  return current;
}

const at = (row: readonly number[], column: number): number => row[column] ?? MAX_NAME_LENGTH;

/** The file that a path was probably meant to be: a like name in the same folder, or the same name in another one. */
export function nearFile(path: string, files: readonly string[]): string | undefined {
  const { folder, name } = split(path);
  const beside = files.filter((file) => split(file).folder === folder);
  const near = nearMatch(
    name,
    beside.map((file) => split(file).name),
  );
  if (near !== undefined) return folder === '' ? near : `${folder}/${near}`;
  return files.filter((file) => split(file).name === name).sort((a, b) => a.length - b.length)[0];
}

/** Words about a file that is not there: `there is no file …, did you mean …?` */
export function noSuchFile(path: string, files: readonly string[] = []): string {
  const near = nearFile(path, files);
  return `there is no file \`${path}\`${near === undefined ? '' : `, did you mean \`${near}\`?`}`;
}

function split(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf('/');
  return { folder: path.slice(0, Math.max(0, at)), name: path.slice(at + 1) };
}

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

/** The hint that names what a person most likely meant; undefined when no known name is close. */
export function suggestName(given: string, known: readonly string[]): string | undefined {
  const name = nearMatch(given, known);
  return name === undefined ? undefined : `Did you mean '${name}'?`;
}

const mostListed = 20;

/** What helps with a name that leads nowhere: what was meant, else what there is; `none` when there is nothing. */
export function nameHint(given: string, known: Iterable<string>, none: string): string {
  const names = [...new Set(known)];
  if (names.length === 0) return none;
  const rest = names.length - mostListed;
  const listed = `There are: ${names.slice(0, mostListed).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
  return suggestName(given, names) ?? listed;
}
