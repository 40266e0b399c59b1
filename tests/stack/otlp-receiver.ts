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
const Spans = z.object({
  resourceSpans: z.array(
    z.looseObject({
      resource: z.looseObject({ attributes: Attributes }),
      scopeSpans: z.array(z.looseObject({ spans: z.array(Span) })),
    }),
  ),
});

/** Numbers that may be large are written as texts. */
const Count = z.union([z.number(), z.string()]).transform(Number);
const Point = z.looseObject({
  attributes: Attributes,
  asDouble: z.number().optional(),
  asInt: Count.optional(),
  count: Count.optional(),
  sum: z.number().optional(),
  bucketCounts: z.array(Count).optional(),
  explicitBounds: z.array(z.number()).optional(),
});
const Points = z.looseObject({ dataPoints: z.array(Point) });
const Metrics = z.object({
  resourceMetrics: z.array(
    z.looseObject({
      resource: z.looseObject({ attributes: Attributes }),
      scopeMetrics: z.array(
        z.looseObject({
          metrics: z.array(
            z.looseObject({
              name: z.string(),
              unit: z.string().default(''),
              sum: Points.optional(),
              gauge: Points.optional(),
              histogram: Points.optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

export interface ReceivedMetric {
  service: string;
  name: string;
  unit: string;
  attributes: Record<string, string | number | null>;
  value: number | { count: number; sum: number; bounds: number[]; counts: number[] };
}

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  name: string;
  service: string;
  attributes: Record<string, string | number | null>;
}

function spansOf(body: unknown): ReceivedSpan[] {
  return Spans.parse(body).resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(resource.attributes['service.name']);
    return scopeSpans
      .flatMap((one) => one.spans)
      .map(({ traceId, spanId, parentSpanId, name, attributes }) => {
        return { traceId, spanId, parentSpanId: parentSpanId || null, name, service, attributes };
      });
  });
}

function metricsOf(body: unknown): ReceivedMetric[] {
  return Metrics.parse(body).resourceMetrics.flatMap(({ resource, scopeMetrics }) => {
    const service = String(resource.attributes['service.name']);
    return scopeMetrics
      .flatMap(({ metrics }) => metrics)
      .flatMap(({ name, unit, ...kinds }) =>
        [kinds.sum, kinds.gauge, kinds.histogram].flatMap((kind) =>
          (kind?.dataPoints ?? []).map((point) => {
            const { attributes, count = 0, sum = 0, bucketCounts: counts, explicitBounds: bounds = [] } = point;
            const value = counts === undefined ? (point.asDouble ?? point.asInt ?? 0) : { count, sum, bounds, counts };
            return { service, name, unit, attributes, value };
          }),
        ),
      );
  });
}

/** Whoever takes traces and metrics over OTLP, as JSON. */
export async function receiveSpans() {
  const spans: ReceivedSpan[] = [];
  const metrics: ReceivedMetric[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === '/v1/metrics') metrics.push(...metricsOf(JSON.parse(body)));
      else spans.push(...spansOf(JSON.parse(body)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const { origin, close } = await listen(server);
  /** A span and those above it, the lowest first. */
  const chainOf = (span: ReceivedSpan): ReceivedSpan[] => {
    const above = spans.find(({ spanId }) => spanId === span.parentSpanId);
    return above === undefined ? [span] : [span, ...chainOf(above)];
  };
  return { endpoint: origin, spans, metrics, chainOf, stop: close };
}
