import {
  type Attributes,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { ReceiverOptions } from './otlp.ts';

export type TracedSpan = Pick<Span, 'setAttribute' | 'setAttributes'>;

/** What a span is about. */
export interface SpanSketch {
  name: string;
  kind?: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  attributes?: Attributes;
  /** As a `traceparent` header has it; absent: whatever is under way here. */
  parent?: string | null | undefined;
}

/** Spans of this process, on their way to an OTLP receiver. */
export interface Tracing {
  /** Runs the work within a span, which ends with it; what the work throws is noted on it. */
  inSpan: <Result>(sketch: SpanSketch, work: (span: TracedSpan) => Promise<Result>) => Promise<Result>;
  /** The span that is under way, as the `traceparent` header of a request; null when there is none. */
  traceparent: () => string | null;
  /** For log lines. */
  ids: () => { trace_id?: string; span_id?: string };
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

// One for the process: it would have to be carried through every call else.
let current: Tracing | null = null;

/** Null: nobody wants to see traces, and whoever asks this first pays nothing else. */
export const tracing = (): Tracing | null => current;

/** Runs the work within a span where somebody wants to see traces, else just so. */
export async function inSpan<Result>(
  sketch: SpanSketch,
  work: (span: TracedSpan | null) => Promise<Result>,
): Promise<Result> {
  return current === null ? await work(null) : await current.inSpan(sketch, work);
}

/** Without an endpoint nobody wants to see traces. */
type TracingOptions = Omit<ReceiverOptions, 'endpoint'> & { endpoint: string | undefined };

/** Begins to send spans; ends with the last of them sent. What sends them is loaded only where somebody wants to see them. */
export async function startTracing({ endpoint, onTrouble, ...options }: TracingOptions): Promise<AsyncDisposable> {
  if (endpoint === undefined) return { [Symbol.asyncDispose]: async () => undefined };
  const { exportSpans } = await import('./export-spans.ts');
  const { tracer, shutdown } = exportSpans({ ...options, endpoint, onTrouble });
  current = tracingWith(tracer);
  return {
    [Symbol.asyncDispose]: async () => {
      current = null;
      // What could not be sent is lost, and keeps no process from ending.
      await shutdown().catch((error: unknown) => onTrouble(String(error)));
    },
  };
}

function tracingWith(tracer: Tracer): Tracing {
  return {
    inSpan: async ({ name, kind = 'internal', attributes, parent }, work) => {
      const options: SpanOptions = { kind: kinds[kind], ...(attributes && { attributes }) };
      const span = tracer.startSpan(name, options, parent === undefined ? context.active() : contextOf(parent));
      try {
        return await context.with(trace.setSpan(context.active(), span), () => work(span));
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'unknown' });
        throw error;
      } finally {
        span.end();
      }
    },
    traceparent: () => {
      const span = trace.getActiveSpan()?.spanContext();
      if (span === undefined || !isSpanContextValid(span)) return null;
      return `00-${span.traceId}-${span.spanId}-${(span.traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01'}`;
    },
    ids: () => {
      const span = trace.getActiveSpan()?.spanContext();
      return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
    },
  };
}

const header = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** The context that a `traceparent` names; of none, or of what is no such header, the root. */
function contextOf(parent: string | null) {
  const [, traceId, spanId, flags] = header.exec(parent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
  return isSpanContextValid(spanContext) ? trace.setSpanContext(ROOT_CONTEXT, spanContext) : ROOT_CONTEXT;
}
