/** A case as one suite lists it. `file` is null for one that stands in its suite's own file. */
export interface ListedCase {
  suiteId: string;
  name: string;
  file: string | null;
}

/** A case that is stored with the file it is written in. */
export interface HousedCase {
  id: string;
  suiteId: string;
  name: string;
  file: string;
}

export interface Homes<Listed extends ListedCase> {
  /** Those that are at home in the suite that lists them. */
  own: Listed[];
  /** Those that live elsewhere: in another of these suites, or in one that is not here. */
  included: { listed: Listed; home: Home }[];
  /** Stored cases whose home lists them no more, and the suite that takes them in. */
  moves: { id: string; suiteId: string; name: string }[];
}

interface Settling {
  /** The suites that are stored now. */
  suiteIds: readonly string[];
  /** False for a proposal: nothing that is stored moves. */
  mayMove: boolean;
}

/**
 * Who is at home where (C43): a case file that several suites list is one case. It stays where it is as long as its home
 * lists it, or says nothing because it is not among these suites; else the first suite that lists it takes it in.
 */
export function settleHomes<Listed extends ListedCase>(
  listed: readonly Listed[],
  housed: readonly HousedCase[],
  settling: Settling,
): Homes<Listed> {
  const known = new Map(housed.toReversed().map((one) => [fileKey(one), one]));
  const homes: Homes<Listed> = { own: listed.filter(({ file }) => file === null), included: [], moves: [] };
  const inFiles = listed.filter(({ file }) => file !== null);
  for (const [key, group] of Map.groupBy(inFiles, fileKey)) {
    const { home, move } = homeOf(group, known.get(key), settling);
    if (move) homes.moves.push(move);
    homes.own.push(...group.filter(({ suiteId }) => suiteId === home.suiteId));
    const included = group.filter(({ suiteId }) => suiteId !== home.suiteId);
    homes.included.push(...included.map((one) => ({ listed: one, home })));
  }
  return homes;
}

type Home = { suiteId: string } | { caseId: string; suiteId: string };

/** The home of a case that these suites list, the first of them before the others. */
function homeOf(
  group: readonly ListedCase[],
  present: HousedCase | undefined,
  { suiteIds, mayMove }: Settling,
): { home: Home; move?: { id: string; suiteId: string; name: string } } {
  const [first] = group;
  if (first === undefined) throw new Error('a case that no suite lists has no home');
  if (present === undefined) return { home: { suiteId: first.suiteId } };
  const isListed = group.some(({ suiteId }) => suiteId === present.suiteId);
  const isLeft = suiteIds.includes(present.suiteId) && !isListed;
  if (!isLeft || !mayMove) return { home: { caseId: present.id, suiteId: present.suiteId } };
  return { home: { suiteId: first.suiteId }, move: { id: present.id, suiteId: first.suiteId, name: first.name } };
}

const fileKey = ({ file, name }: Pick<ListedCase, 'file' | 'name'>): string => JSON.stringify([file, name]);
