import type { Conclusion } from '@proofmark/contracts/verdict';
import type { CheckAnnotation } from './annotations.ts';
import type { CheckButton, CheckOutput } from './check-output.ts';

/** A check run as GitHub shows it now. */
export interface FoundCheck {
  isCompleted: boolean;
  conclusion: string | null;
  title: string | null;
  summary: string | null;
  text: string | null;
  annotationsCount: number;
}

/** The fields of one write to a check run, in GitHub's words. */
export interface CheckWrite {
  status?: 'completed';
  conclusion?: Conclusion;
  output: { title: string; summary: string; text?: string; annotations?: GitHubAnnotation[] };
  actions?: CheckButton[];
}

interface GitHubAnnotation {
  path: string;
  start_line: number;
  end_line: number;
  annotation_level: CheckAnnotation['level'];
  title: string;
  message: string;
}

/** GitHub takes at most this many annotations with one write; further writes append. */
const annotationsPerWrite = 50;

/**
 * The writes that bring a check run to the state that is wanted, in order; none when it is there already. Annotations
 * append on GitHub, so the count there says which ones are still missing.
 */
export function checkWrites(found: FoundCheck, wanted: CheckOutput): CheckWrite[] {
  // GitHub does not support reopening a completed check: a re-run is a new one.
  if (found.isCompleted && wanted.conclusion === null) return [];
  const missing = wanted.annotations.slice(found.annotationsCount).map(toGitHub);
  if (isTitleAlone(found, wanted) || (isEqual(found, wanted) && missing.length === 0)) return [];
  const { conclusion } = wanted;
  // A check that was completed may end in another way: a suspicion was confirmed.
  const isNewEnd = !found.isCompleted || found.conclusion !== conclusion;
  const count = Math.max(1, Math.ceil(missing.length / annotationsPerWrite));
  return Array.from({ length: count }, (_, index) => {
    const annotations = missing.slice(index * annotationsPerWrite, (index + 1) * annotationsPerWrite);
    const isLast = index === count - 1;
    return {
      ...(isLast && isNewEnd && conclusion !== null ? { status: 'completed', conclusion } : {}),
      // GitHub shows buttons and does not tell of them: what is written last holds.
      ...(isLast && conclusion !== null && wanted.buttons !== undefined ? { actions: wanted.buttons } : {}),
      output: {
        title: wanted.title,
        summary: wanted.summary,
        ...(wanted.text === '' ? {} : { text: wanted.text }),
        ...(annotations.length === 0 ? {} : { annotations }),
      },
    };
  });
}

/** The same with less in it, for a GitHub that refuses it: the conclusion must arrive, whatever is said beside it. */
export function poorerWrites(write: CheckWrite): CheckWrite[] {
  const { annotations, ...output } = write.output;
  const { text, ...least } = output;
  const { title, summary } = least;
  const { actions, ...bare } = write;
  return [
    ...(annotations === undefined ? [] : [{ ...write, output }]),
    ...(text === undefined ? [] : [{ ...write, output: least }]),
    ...(actions === undefined && summary === title ? [] : [{ ...bare, output: { title, summary: title } }]),
  ];
}

/** GitHub has refused all the rest, and would again. */
function isTitleAlone({ isCompleted, conclusion, title, summary }: FoundCheck, wanted: CheckOutput): boolean {
  return isCompleted && conclusion === wanted.conclusion && title === wanted.title && summary === title;
}

function isEqual(found: FoundCheck, wanted: CheckOutput): boolean {
  return (
    found.isCompleted === (wanted.conclusion !== null) &&
    found.conclusion === wanted.conclusion &&
    found.title === wanted.title &&
    found.summary === wanted.summary &&
    (found.text ?? '') === wanted.text
  );
}

function toGitHub({ path, line, level, title, message }: CheckAnnotation): GitHubAnnotation {
  return { path, start_line: line, end_line: line, annotation_level: level, title, message };
}
