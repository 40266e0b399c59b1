import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { kindFromFile } from './known-kinds.ts';
import { familyVectors } from './statistics-families.ts';
import { usualTolerance, type Vector } from './vector.ts';

const Plain = z.object({
  name: z.string(),
  input: z.looseObject({ kind: z.string().optional() }),
  expected: z.unknown().refine((value) => value !== undefined, 'a vector without an expected answer proves nothing'),
});

const TextPair = z.looseObject({ response: z.string(), groundTruth: z.string() });

const Content = z.record(z.string(), z.unknown());

/** A file that could not be read as vectors. */
export type UnreadableFile = { readonly file: string; readonly reason: string };

function plainVector(file: string, value: unknown): Vector {
  const { name, input, expected } = Plain.parse(value);
  return { file, name, kind: input.kind ?? kindFromFile(file), input, expected, tolerance: usualTolerance };
}

function textVector(file: string, value: unknown): Vector {
  const { response, groundTruth, ...expected } = TextPair.parse(value);
  const name = `${JSON.stringify(response.slice(0, 40))} against ${JSON.stringify(groundTruth.slice(0, 40))}`;
  const input = { response, groundTruth };
  return { file, name, kind: kindFromFile(file), input, expected, tolerance: usualTolerance };
}

function vectorsOf(file: string, content: Record<string, unknown>): Vector[] {
  const list = content.vectors;
  if (!Array.isArray(list)) return familyVectors(file, content);
  return list.map((value: unknown) =>
    TextPair.safeParse(value).success ? textVector(file, value) : plainVector(file, value),
  );
}

/** All vectors of a folder's *.json files in the order of their names, and the files that hold none. */
export async function loadVectors(folder: string): Promise<{ vectors: Vector[]; unreadable: UnreadableFile[] }> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).toSorted();
  const vectors: Vector[] = [];
  const unreadable: UnreadableFile[] = [];
  for (const file of files) {
    try {
      const text = await readFile(join(folder, file), 'utf8');
      vectors.push(...vectorsOf(file, Content.parse(JSON.parse(text))));
    } catch (error) {
      unreadable.push({ file, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { vectors, unreadable };
}
