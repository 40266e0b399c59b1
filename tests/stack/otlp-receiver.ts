import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { listen } from './listen.ts';

const Value = z.looseObject({
  stringValue: z.string().optional(),
  intValue: z.union([z.int(), z.string()]).optional(),
  doubleValue: z.number().optional(),
});
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .default([])
  .transform((all) =>
    Object.fromEntries(
      all.map(({ key, value: { stringValue, intValue, doubleValue } }) => [
        key,
        stringValue ?? doubleValue ?? (intValue === undefined ? null : Number(intValue)),
      ]),
    ),
  );
const Span = z.looseObject({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  attributes: Attributes,
});
const Body = z.object({
  resourceSpans: z.array(
    z.looseObject({
      resource: z.looseObject({ attributes: Attributes }),
      scopeSpans: z.array(z.looseObject({ spans: z.array(Span) })),
    }),
  ),
});

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  service: string;
  attributes: Record<string, string | number | null>;
}

/** Whoever takes traces over OTLP, as JSON. */
export async function receiveSpans() {
  const spans: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { resourceSpans } = Body.parse(JSON.parse(body));
      for (const { resource, scopeSpans } of resourceSpans) {
        const service = String(resource.attributes['service.name']);
        for (const { traceId, spanId, parentSpanId, name, attributes } of scopeSpans.flatMap((one) => one.spans))
          spans.push({ traceId, spanId, parentSpanId: parentSpanId || null, name, service, attributes });
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const { origin, close } = await listen(server);
  /** A span and those above it, the lowest first. */
  const chainOf = (span: ReceivedSpan): ReceivedSpan[] => {
    const above = spans.find(({ spanId }) => spanId === span.parentSpanId);
    return above === undefined ? [span] : [span, ...chainOf(above)];
  };
  return { endpoint: origin, spans, chainOf, stop: close };
}
