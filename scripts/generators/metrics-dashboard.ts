import { makeMetrics } from '../../coordinator/src/http/prometheus.ts';
import type { GeneratedFile } from '../generated-file.ts';

const path = 'deploy/kubernetes/components/monitoring/proofmark.json';
const datasource = { type: 'prometheus', uid: '$datasource' };
/** What a cluster adds to every series, and says which replica told it. */
const ofReplica = 'without (instance, pod, endpoint, job, namespace, service, container)';
const size = { w: 12, h: 8 };

/** A Grafana dashboard with a panel for each metric of `/metrics` that is ours. */
export async function metricsDashboard(): Promise<GeneratedFile[]> {
  const panels = readFamilies(await makeMetrics().render([], true)).map((family, index) => ({
    id: index + 1,
    type: 'timeseries',
    title: family.name,
    description: family.help,
    datasource,
    gridPos: { ...size, x: (index % 2) * size.w, y: Math.floor(index / 2) * size.h },
    fieldConfig: { defaults: { unit: unitOf(family), min: 0 }, overrides: [] },
    targets: [{ refId: 'A', datasource, expr: queryOf(family), legendFormat: '__auto' }],
  }));
  const variable = { name: 'datasource', type: 'datasource', query: 'prometheus' };
  const dashboard = {
    ...{ uid: 'proofmark', title: 'Proofmark', tags: ['proofmark'], schemaVersion: 39, editable: true, refresh: '30s' },
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [variable] },
    panels,
  };
  return [{ path, content: `${JSON.stringify(dashboard, null, 2)}\n` }];
}

interface Family {
  name: string;
  help: string;
  type: string;
}

/** The families of the text for Prometheus; those of Node itself are on every dashboard of Node. */
function readFamilies(text: string): Family[] {
  const families = text.matchAll(/^# HELP (proofmark_\w+) (.*)\n# TYPE \w+ (\w+)$/gm);
  return Array.from(families, ([, name = '', help = '', type = '']) => ({ name, help, type }));
}

function queryOf({ name, type }: Family): string {
  if (type === 'counter') return `sum ${ofReplica} (rate(${name}[5m]))`;
  if (type === 'histogram') return `histogram_quantile(0.95, sum ${ofReplica} (rate(${name}_bucket[5m])))`;
  // Replicas tell the same of the whole fleet, and of themselves the worst counts.
  return `max ${ofReplica} (${name})`;
}

function unitOf({ name, type }: Family): string {
  if (name.endsWith('_seconds')) return 's';
  if (name.endsWith('_bytes')) return 'bytes';
  return type === 'counter' ? 'ops' : 'short';
}
