import { context, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { type ReceiverOptions, receiverOf } from './otlp.ts';

/** Spans that wait to be sent, at most: what is more is dropped, and costs no memory. */
const mostWaiting = 4096;
const sendEveryMs = 2000;

/** A tracer whose spans are sent to a receiver in batches; a receiver that is away costs spans and nothing else. */
export function exportSpans(options: ReceiverOptions): { tracer: Tracer; shutdown: () => Promise<void> } {
  const { resource, address, timeoutMs } = receiverOf(options, 'traces');
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter(address),
    maxQueueSize: mostWaiting,
    scheduledDelayMillis: sendEveryMs,
    exportTimeoutMillis: timeoutMs,
  });
  const provider = new TracerProvider({ resource, spanProcessors: [processor] });
  const shutdown = async () => {
    context.disable();
    await provider.shutdown();
  };
  return { tracer: provider.getTracer('proofmark', options.version), shutdown };
}
