import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type MetricLabels, type MetricName, metricList } from './metric-list.ts';

type Process = 'coordinator' | 'runner';
type Labels = Readonly<Record<string, string>>;

/** What names from outside are told as when there are too many of them. */
const other = 'other';

/** The metrics of one process, of those in the list, with what Node tells of itself. */
export class ProcessMetrics<Of extends Process> {
  readonly #registry = new Registry();
  readonly #counters = new Map<string, Counter>();
  readonly #gauges = new Map<string, Gauge>();
  readonly #histograms = new Map<string, Histogram>();
  /** For each label with names from outside: those that are told apart by now, and how many there may be. */
  readonly #outside = new Map<string, { label: string; most: number; known: Set<string> }[]>();
  readonly #readers: (() => void)[] = [];

  constructor(of: Of) {
    collectDefaultMetrics({ register: this.#registry });
    for (const [name, listed] of Object.entries(metricList)) {
      if (listed.of !== of) continue;
      const { help, type, labels } = listed;
      const settings = { name, help, labelNames: Object.keys(labels), registers: [this.#registry] };
      const outside = Object.entries(labels).flatMap(([label, values]) =>
        'most' in values ? { label, most: values.most, known: new Set<string>() } : [],
      );
      if (outside.length > 0) this.#outside.set(name, outside);
      if (type === 'gauge') this.#gauges.set(name, new Gauge(settings));
      else if (type === 'histogram')
        this.#histograms.set(name, new Histogram({ ...settings, buckets: [...listed.buckets] }));
      else this.#counters.set(name, startedCounter(new Counter(settings), labels));
    }
  }

  /** Raises a counter. */
  add<Name extends MetricName<Of, 'counter'>>(name: Name, labels: MetricLabels<Name>, count = 1): void {
    if (count > 0) this.#counters.get(name)?.inc(this.#bounded(name, labels), count);
  }

  /** Notes one value in a histogram. */
  observe<Name extends MetricName<Of, 'histogram'>>(name: Name, labels: MetricLabels<Name>, value: number): void {
    this.#histograms.get(name)?.observe(this.#bounded(name, labels), value);
  }

  set<Name extends MetricName<Of, 'gauge'>>(name: Name, labels: MetricLabels<Name>, value: number): void {
    this.#gauges.get(name)?.set(this.#bounded(name, labels), value);
  }

  /** Forgets all values of a gauge: what is gone has no series, for its last value would stand for ever. */
  clear(name: MetricName<Of, 'gauge'>): void {
    this.#gauges.get(name)?.reset();
    for (const { known } of this.#outside.get(name) ?? []) known.clear();
  }

  /** Asked each time that somebody wants to see the metrics: for gauges that nobody needs to set before. */
  onRead(reader: () => void): void {
    this.#readers.push(reader);
  }

  /** As they are now. */
  read(): Registry {
    for (const reader of this.#readers) reader();
    return this.#registry;
  }

  #bounded(name: string, labels: object): Labels {
    const outside = this.#outside.get(name);
    if (outside === undefined) return labels as Labels; // every label is a word of its list
    const bounded: Record<string, string> = { ...labels };
    for (const { label, most, known } of outside) {
      const value = bounded[label] ?? other;
      if (known.has(value)) continue;
      if (known.size < most) known.add(value);
      else bounded[label] = other;
    }
    return bounded;
  }
}

/** With 0 in each series that is known before: whoever waits for a first one sees a rise by it. */
function startedCounter(counter: Counter, labels: Readonly<Record<string, readonly string[] | object>>): Counter {
  let series: Labels[] = [{}];
  for (const [label, values] of Object.entries(labels)) {
    if (!Array.isArray(values)) return counter;
    const words: readonly string[] = values;
    series = series.flatMap((one) => words.map((word) => ({ ...one, [label]: word })));
  }
  for (const one of series) counter.inc(one, 0);
  return counter;
}
