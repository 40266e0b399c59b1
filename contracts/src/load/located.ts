import type { Finding } from '../parse/finding.ts';
import type { Path } from '../parse/path-text.ts';
import type { ProblemList } from '../parse/problem-list.ts';
import type { SourceDocument } from '../parse/source-document.ts';

/** A part of a file: where its findings are reported. */
export interface Located {
  document: SourceDocument;
  base: Path;
  /** Where in the file a path of the part stands, when wrong entries of its lists were left out. */
  restore?: (path: Path) => Path;
}

/** Reports findings of one part of a file, whose paths start at that part. Returns undefined, as what was refused is. */
export function reportAt(
  problems: ProblemList,
  { document, base, restore = (path) => path }: Located,
  findings: readonly Finding[],
): undefined {
  const placed = findings.map((finding) => ({ ...finding, path: [...base, ...restore(finding.path)] }));
  problems.addFindings(document.path, placed, document.place);
}

export const within = ({ document, base }: Located, path: Path): Located => ({ document, base: [...base, ...path] });
