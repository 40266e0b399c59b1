import { nearMatch } from './near-match.ts';

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
