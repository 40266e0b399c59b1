import type { ReadBeside } from './read-beside.ts';
import { type Path, type Remarks, readSource, type Source } from './source.ts';

interface Place {
  source: Source;
  /** Where the values stand. */
  path: Path;
  readBeside: ReadBeside;
  remarks: Remarks;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * The values of a test with the texts of the files that they name. A value that names what is not read is left out and
 * told: a question must not hold the name of a file where its text belongs.
 */
export function readValues(values: Values, place: Place): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const path = [...place.path, name];
    if (!Array.isArray(value)) {
      const [read] = readValue(value, { ...place, path });
      if (read !== undefined) found[name] = read.value;
      continue;
    }
    const read = value.flatMap((item: unknown, at) => readValue(item, { ...place, path: [...path, at] }));
    if (read.length > 0) found[name] = read.map((item) => item.value);
  }
  return found;
}

const program = /\.(?:[cm]?[jt]s|py|rb|sh)(?::\w+)?$/;

/** None when it names a file that is not read. */
function readValue(value: unknown, place: Place): { value: unknown }[] {
  const { source, path, readBeside, remarks } = place;
  const refuse = (message: string): [] => {
    remarks.add(source, path, message);
    return [];
  };
  if (typeof value !== 'string') {
    const isNested = JSON.stringify(value ?? null).includes('"file://');
    return isNested ? refuse('the value is left out: it names a file inside of a list or an object') : [{ value }];
  }
  if (!value.startsWith('file://')) return [{ value }];
  const file = value.slice('file://'.length);
  if (program.test(file)) return refuse(`the value is left out: ${file} is a program`);
  if (/[*?[\]{}]/.test(file))
    return refuse(`the value is left out: ${file} means many files, only single ones are read`);
  const beside = readBeside(file);
  if (!beside.ok) return refuse(`the value is left out: ${file}: ${beside.reason}`);
  if (!/\.ya?ml$/.test(file)) return [{ value: beside.text }];
  // A YAML file goes into a prompt as JSON.
  const read = readSource(file, beside.text);
  return read.ok ? [{ value: JSON.stringify(read.source.value) }] : refuse(`the value is left out: ${read.message}`);
}
