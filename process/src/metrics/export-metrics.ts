import { type HrTime, ValueType } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import { type ReceiverOptions, receiverOf } from '../tracing/otlp.ts';
import { listedMetrics } from './metric-list.ts';

const sendEveryMs = 15_000;
const units = new Map(listedMetrics.map(({ name, unit }) => [name, unit === 'count' ? '1' : unit]));

/** Sends what Prometheus would read to a receiver, every 15 s and at the end; one that is away costs what it missed. */
export function exportMetrics(read: () => Registry, options: ReceiverOptions): { shutdown: () => Promise<void> } {
  const { resource, address, timeoutMs } = receiverOf(options, 'metrics');
  const startTime = hrTimeOf(Date.now());
  const producer: MetricProducer = {
    collect: async () => {
      const families = await read().getMetricsAsJSON();
      const span = { startTime, endTime: hrTimeOf(Date.now()) };
      const metrics = families.map((family) => toOtlp(family, span));
      const scope = { name: 'proofmark', version: options.version };
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  };
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(address),
    exportIntervalMillis: sendEveryMs,
    exportTimeoutMillis: timeoutMs,
    metricProducers: [producer],
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  return { shutdown: () => provider.shutdown() };
}

const hrTimeOf = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];

type Span = Pick<DataPoint<unknown>, 'startTime' | 'endTime'>;
type Family = MetricObjectWithValues<MetricValue<string>>;

/** One family as OpenTelemetry has it. Everything is counted from the start of the process. */
function toOtlp({ name, help, type, values: read }: Family, span: Span): MetricData {
  // Node tells NaN of what it has not measured yet. In JSON that is null, for which a receiver refuses all the rest.
  const values = read.filter(({ value }) => Number.isFinite(value));
  const about = {
    descriptor: { name, description: help, unit: units.get(name) ?? '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = () => values.map(({ labels, value }) => ({ ...span, attributes: { ...labels }, value }));
  // prom-client tells the type as a word here, whatever its types say.
  switch (String(type)) {
    case 'counter':
      return { ...about, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
    case 'histogram':
      return { ...about, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms(values, span) };
    default:
      return { ...about, dataPointType: DataPointType.GAUGE, dataPoints: points() };
  }
}

type Value = MetricValue<string> & { metricName?: string };

/** Prometheus has a value for each bucket, which counts those of the smaller buckets too. */
function histograms(values: readonly Value[], span: Span): DataPoint<Histogram>[] {
  const series = Map.groupBy(values, ({ labels: { le: _le, ...labels } }) => JSON.stringify(labels));
  return [...series].map(([key, ofOne]) => {
    const withEnd = (end: string) => ofOne.find(({ metricName = '' }) => metricName.endsWith(end))?.value ?? 0;
    const buckets = ofOne.filter(({ metricName = '' }) => metricName.endsWith('_bucket'));
    const boundaries = buckets.map(({ labels }) => Number(labels.le)).filter(Number.isFinite);
    const counts = buckets.map(({ value }, at) => value - (buckets[at - 1]?.value ?? 0));
    const value = { buckets: { boundaries, counts }, sum: withEnd('_sum'), count: withEnd('_count') };
    return { ...span, attributes: JSON.parse(key), value };
  });
}
