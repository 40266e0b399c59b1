import { z } from 'zod';
import type { ImportedProvider } from './imported-provider.ts';
import { translateEmbedding, translateProvider } from './translate-provider.ts';
import type { ImportedTest } from './translate-tests.ts';

const Measuring = z.looseObject({
  id: z.unknown().optional(),
  text: z.unknown().optional(),
  embedding: z.unknown().optional(),
});

/** Who judges and who compares by meaning; a suite has one of each, so that a second one is lost. */
export function measuringOf(
  tests: readonly ImportedTest[],
  at: Parameters<typeof translateProvider>[1],
): { judge: ImportedProvider | null; embedding: ReturnType<typeof translateEmbedding> } {
  const parts = tests.map(({ judge, embedding }) => {
    const said = Measuring.safeParse(judge).data;
    const isSplit = said !== undefined && (said.text !== undefined || said.embedding !== undefined);
    const { embedding: inner, ...own } = said ?? {};
    return {
      judge: isSplit ? (said.text ?? (said.id === undefined ? undefined : own)) : judge,
      embedding: embedding ?? inner,
    };
  });
  const judging = onlyOne(
    parts.map(({ judge }) => judge),
    'judges',
    at,
  );
  const embedding = onlyOne(
    parts.map((one) => one.embedding),
    'embeds',
    at,
  );
  return {
    judge: judging === undefined ? null : translateProvider(judging, at, { judges: true }),
    embedding: embedding === undefined ? null : translateEmbedding(embedding, at),
  };
}

function onlyOne(
  values: readonly unknown[],
  does: string,
  { source, path, remarks }: Parameters<typeof translateProvider>[1],
) {
  const written = new Map(values.flatMap((one) => (one === undefined ? [] : [[JSON.stringify(one), one] as const])));
  if (written.size > 1) remarks.add(source, path, `more than one provider ${does}: the suite has the first of them`);
  const [first] = written.values();
  return first;
}
