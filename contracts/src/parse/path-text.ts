export type PathSegment = string | number;
export type Path = readonly PathSegment[];

/** `cases.0.expected_behavior.mode`: how problems of files name a key. */
export const dottedPath = (path: Path): string => path.join('.');

/** `cases[0].expected_behavior.mode`: how validation of a single value names a key. */
export function bracketPath(path: Path): string {
  return path.reduce<string>((text, segment) => {
    if (typeof segment === 'number') return `${text}[${segment}]`;
    return text === '' ? segment : `${text}.${segment}`;
  }, '');
}
