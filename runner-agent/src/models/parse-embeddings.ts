import { z } from 'zod';
import { badAnswer } from './bad-answer.ts';
import type { CallResult, Embeddings } from './model-port.ts';

const Vector = z.union([z.array(z.number()), z.base64()]);
const Answer = z.object({
  data: z.array(z.object({ index: z.int().min(0).optional(), embedding: Vector })),
  usage: z
    .object({ prompt_tokens: z.int().min(0).max(1e9) })
    .nullish()
    .catch(null),
});

/** One vector per input in the order of the inputs; servers that ignore the base64 wish and send numbers are fine. */
export function parseEmbeddings(body: unknown, inputCount: number): CallResult<Embeddings> {
  const parsed = Answer.safeParse(body);
  if (!parsed.success) return badAnswer('The provider answered embeddings of an unexpected shape');
  const { data, usage } = parsed.data;
  if (data.length !== inputCount)
    return badAnswer(`The provider answered ${data.length} embeddings for ${inputCount} texts`);
  const vectors = data
    .map((row, at) => ({ at: row.index ?? at, vector: decode(row.embedding) }))
    .sort((a, b) => a.at - b.at);
  return {
    ok: true,
    value: {
      vectors: vectors.map(({ vector }) => vector),
      usage: usage ? { promptTokens: usage.prompt_tokens, completionTokens: 0 } : null,
    },
  };
}

function decode(embedding: z.infer<typeof Vector>): number[] {
  if (typeof embedding !== 'string') return embedding;
  const bytes = Buffer.from(embedding, 'base64');
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4));
}
