import type { ReceiverOptions } from '../tracing/otlp.ts';
import { startTracing } from '../tracing/tracing.ts';
import type { ProcessMetrics } from './process-metrics.ts';

/** Begins to send spans and metrics where somebody wants to see them; ends with the last of them sent, both at once. */
export async function startTelemetry(
  metrics: Pick<ProcessMetrics<'coordinator' | 'runner'>, 'read'>,
  options: Omit<ReceiverOptions, 'endpoint'> & { endpoint: string | undefined },
): Promise<AsyncDisposable> {
  const { endpoint, onTrouble } = options;
  const tracing = await startTracing(options);
  if (endpoint === undefined) return tracing;
  const { exportMetrics } = await import('./export-metrics.ts');
  const { shutdown } = exportMetrics(() => metrics.read(), { ...options, endpoint });
  const sendLast = () => shutdown().catch((error: unknown) => onTrouble(String(error)));
  return {
    [Symbol.asyncDispose]: async () => void (await Promise.all([tracing[Symbol.asyncDispose](), sendLast()])),
  };
}
