import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listedMetrics } from '../../process/src/metrics/metric-list.ts';
import { betweenMarks } from '../between-marks.ts';
import type { GeneratedFile } from '../generated-file.ts';

type ListedMetric = (typeof listedMetrics)[number];

const dashboard = 'deploy/kubernetes/components/monitoring/proofmark.json';
const page = 'docs/telemetry.md';
const datasource = { type: 'prometheus', uid: '$datasource' };
/** What a cluster adds to every series, and says which process told it. */
const processLabels = 'instance, pod, endpoint, job, namespace, service, container';
const size = { w: 12, h: 8 };

/** What is read of several metrics together. */
const further = [
  {
    about: 'models',
    title: 'Share of judges in what is spent',
    description: 'What judges cost of all that test runs cost, as far as prices are known.',
    unit: 'percentunit',
    expr: 'sum(rate(proofmark_cost_usd_total{role="judge"}[1h])) / sum(rate(proofmark_cost_usd_total[1h]))',
  },
  {
    about: 'models',
    title: 'Share of calls to models that failed',
    description: 'Calls without an answer of all calls, by provider.',
    unit: 'percentunit',
    expr: 'sum by (provider) (rate(proofmark_model_calls_total{outcome!="answered"}[5m])) / sum by (provider) (rate(proofmark_model_calls_total[5m]))',
  },
];

/** From the list of metrics: the table of the documentation, and a Grafana dashboard with a panel for each. */
export function metricPages(root: string): GeneratedFile[] {
  const text = readFileSync(join(root, page), 'utf8');
  return [
    { path: page, content: betweenMarks(text, 'metrics', table()) },
    { path: dashboard, content: `${JSON.stringify(grafana(), null, 2)}\n` },
  ];
}

function table(): string {
  const rows = listedMetrics.map(({ name, of, type, unit, labels, help }) => {
    const cells = [`\`${name}\``, of, type, unit === 'count' ? '' : unit, labelsOf(labels), help];
    return `| ${cells.join(' | ')} |`;
  });
  return ['| metric | of | type | unit | labels | what it tells |', '|---|---|---|---|---|---|', ...rows].join('\n');
}

const labelsOf = (labels: ListedMetric['labels']): string =>
  Object.entries(labels)
    .map(([label, values]) => `\`${label}\`: ${'most' in values ? `up to ${values.most}` : values.join(', ')}`)
    .join('; ');

function grafana() {
  const topics = [...new Set(listedMetrics.map(({ about }) => about))];
  const panels: object[] = [];
  let y = 0;
  for (const topic of topics) {
    const shown = [
      ...listedMetrics.filter(({ about }) => about === topic).map(panelOf),
      ...further.filter(({ about }) => about === topic),
    ];
    const title = `${topic.slice(0, 1).toUpperCase()}${topic.slice(1)}`;
    panels.push({ id: panels.length + 1, type: 'row', title, collapsed: false, gridPos: { h: 1, w: 24, x: 0, y } });
    for (const [index, { title, description, unit, expr }] of shown.entries())
      panels.push({
        ...{ id: panels.length + 1, type: 'timeseries', title, description, datasource },
        gridPos: { ...size, x: (index % 2) * size.w, y: y + 1 + Math.floor(index / 2) * size.h },
        fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
        targets: [{ refId: 'A', datasource, expr, legendFormat: '__auto' }],
      });
    y += 1 + Math.ceil(shown.length / 2) * size.h;
  }
  const variable = { name: 'datasource', type: 'datasource', query: 'prometheus' };
  return {
    ...{ uid: 'proofmark', title: 'Proofmark', tags: ['proofmark'], schemaVersion: 39, editable: true, refresh: '30s' },
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [variable] },
    panels,
  };
}

const panelOf = (metric: ListedMetric) => ({
  title: metric.name,
  description: metric.help,
  unit: unitOf(metric),
  expr: queryOf(metric),
});

function queryOf({ name, type, unit, across = 'max' }: ListedMetric): string {
  // Nobody thinks of money by the second.
  if (unit === 'USD') return `sum without (${processLabels}) (increase(${name}[1h]))`;
  if (type === 'counter') return `sum without (${processLabels}) (rate(${name}[5m]))`;
  if (type === 'histogram')
    return `histogram_quantile(0.95, sum without (${processLabels}) (rate(${name}_bucket[5m])))`;
  return `${across} without (${processLabels}) (${name})`;
}

function unitOf({ type, unit }: ListedMetric): string {
  if (unit === 's') return 's';
  if (type === 'counter') return unit === 'USD' ? 'currencyUSD' : 'ops';
  return 'short';
}
