import { context, DiagLogLevel, diag, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

export interface ExportOptions {
  serviceName: string;
  version: string;
  /** Address of the receiver, without `/v1/traces`. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  onTrouble: (reason: string) => void;
}

/** Spans that wait to be sent, at most: what is more is dropped, and costs no memory. */
const mostWaiting = 4096;
const sendEveryMs = 2000;
const timeoutMs = 5000;

/** A tracer whose spans are sent to a receiver in batches; a receiver that is away costs spans and nothing else. */
export function exportSpans({ serviceName, version, endpoint, headers, onTrouble }: ExportOptions): {
  tracer: Tracer;
  shutdown: () => Promise<void>;
} {
  const nothing = () => undefined;
  const logger = { error: onTrouble, warn: onTrouble, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
  });
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: mostWaiting,
    scheduledDelayMillis: sendEveryMs,
    exportTimeoutMillis: timeoutMs,
  });
  const resource = resourceFromAttributes({ 'service.name': serviceName, 'service.version': version });
  const provider = new TracerProvider({ resource, spanProcessors: [processor] });
  return { tracer: provider.getTracer('proofmark', version), shutdown: () => provider.shutdown() };
}
