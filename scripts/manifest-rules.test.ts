import { expect, test } from 'vitest';
import { ownProblems, readManifests, schemaProblems } from './manifest-rules.ts';

const sound = `apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { PROOFMARK_POOLS: gpu, PROOFMARK_SLOTS: "8", PROOFMARK_RUNNER_GRACE_MS: "60000" }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: runners }
spec:
  replicas: 2
  selector: { matchLabels: { app: runner } }
  template:
    metadata: { labels: { app: runner } }
    spec:
      terminationGracePeriodSeconds: 90
      automountServiceAccountToken: false
      securityContext: { runAsNonRoot: true }
      containers:
        - name: runner
          image: example.com/runner:1.2.3
          ports: [{ name: http, containerPort: 8080 }]
          envFrom: [{ configMapRef: { name: settings } }]
          livenessProbe: { httpGet: { path: /healthz, port: http } }
          readinessProbe: { httpGet: { path: /readyz, port: http } }
          lifecycle: { preStop: { sleep: { seconds: 5 } } }
          resources: { requests: { cpu: 100m }, limits: { memory: 1Gi } }
          securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false }
---
apiVersion: v1
kind: Service
metadata: { name: runners, labels: { app: runner } }
spec: { selector: { app: runner }, ports: [{ name: web, port: 80, targetPort: http }] }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: { name: runners }
spec: { maxUnavailable: 1, selector: { matchLabels: { app: runner } } }
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: { name: runners }
spec: { podSelector: { matchLabels: { app: runner } }, policyTypes: [Ingress, Egress] }
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: { name: runners }
spec: { selector: { matchLabels: { app: runner } }, endpoints: [{ port: web }] }
---
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: { name: runners }
spec: { selector: { matchLabels: { app: runner } }, podMetricsEndpoints: [{ port: http }] }
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: { name: runners }
spec:
  scaleTargetRef: { name: runners }
  triggers: [{ type: prometheus, metadata: { query: max(proofmark_queue_age_seconds), threshold: "30" } }]
`;

test('what a cluster takes, and gives away no more than it must, is sound', async () => {
  const manifests = readManifests(sound);
  expect(await schemaProblems(manifests)).toEqual([]);
  expect(ownProblems(manifests)).toEqual([]);
});

// All at once: the compiler starts once.
test('what the API of a cluster would refuse is told, by object', async () => {
  const planted: [from: string, to: string, told: RegExp][] = [
    ['replicas: 2', 'replicass: 2', /^Deployment runners: .*"replicass"/],
    ['readinessProbe: { httpGet: { path', 'readinessProbe: { httpGet: { pathh', /^Deployment runners: .*"pathh"/],
    ['maxUnavailable: 1', 'maxUnavailable: [1]', /^PodDisruptionBudget runners: /],
    ['endpoints: [{ port: web }]', 'endpointz: []', /^ServiceMonitor runners: .*"endpointz"/],
    ['scaleTargetRef: { name: runners }', 'scaleTargetRef: { nam: runners }', /^ScaledObject runners: .*"nam"/],
    ['policyTypes: [Ingress, Egress]', 'policyTypes: Ingress', /^NetworkPolicy runners: /],
    [
      'apiVersion: v1\nkind: ConfigMap',
      'apiVersion: example.com/v1\nkind: ConfigMap',
      /^ConfigMap settings: there is no schema/,
    ],
  ];
  const wrong = planted.flatMap(([from, to]) => {
    expect(sound).toContain(from);
    return readManifests(sound.replace(from, to));
  });
  const problems = await schemaProblems(wrong);
  for (const [, , told] of planted) expect(problems).toContainEqual(expect.stringMatching(told));
  expect(problems).toHaveLength(planted.length);
});

test.each([
  ['a process that may be root', ['runAsNonRoot: true', 'runAsNonRoot: false'], 'may run as root'],
  ['a token of the cluster', ['      automountServiceAccountToken: false\n', ''], 'has a token of the cluster'],
  ['a root that can be written', ['readOnlyRootFilesystem: true, ', ''], 'writes to its root'],
  [
    'more rights than at its start',
    ['allowPrivilegeEscalation: false', 'allowPrivilegeEscalation: true'],
    'may get more rights',
  ],
  ['memory without a bound', ['limits: { memory: 1Gi }', 'limits: { cpu: 200m }'], 'has no bound of memory'],
  ['nobody who asks whether it lives', ['livenessProbe', 'startupProbe'], 'has no livenessProbe'],
  ['an image without a version', ['runner:1.2.3', 'runner:latest'], 'which names no version'],
  ['a variable that nobody reads', ['PROOFMARK_SLOTS', 'PROOFMARK_SLOT'], 'sets PROOFMARK_SLOT,'],
  [
    'a config map that there is not',
    ['configMapRef: { name: settings }', 'configMapRef: { name: setting }'],
    'config map setting,',
  ],
  ['an end that comes too early', ['Seconds: 90', 'Seconds: 85'], 'is killed after 85 s and may take 85 s'],
  ['a process of which nobody knows its end', ['- name: runner\n', '- name: other\n'], 'nobody knows how long'],
  ['a pod that may be called by all', ['[Ingress, Egress]', '[Egress]'], 'may have any ingress'],
  [
    'a pod that no policy chooses',
    ['podSelector: { matchLabels: { app: runner } }', 'podSelector: { matchLabels: { app: x } }'],
    'may have any egress',
  ],
  ['a service without pods', ['selector: { app: runner }', 'selector: { app: x }'], 'Service runners chooses no pod'],
  ['a service with a closed port', ['targetPort: http', 'targetPort: 9999'], 'a port that its pods do not open'],
  [
    'a budget without pods',
    ['1, selector: { matchLabels: { app: runner', '1, selector: { matchLabels: { app: x'],
    'PodDisruptionBudget runners chooses no pod',
  ],
  ['a port that no service has', ['[{ port: web }]', '[{ port: http }]'], 'reads the port http of no service'],
  ['a port that no pod has', ['[{ port: http }]', '[{ port: web }]'], 'reads the port web of no pod'],
  [
    'a fleet that there is not',
    ['scaleTargetRef: { name: runners }', 'scaleTargetRef: { name: runner }'],
    'scales runner, which',
  ],
  [
    'a metric that there is not',
    ['proofmark_queue_age_seconds', 'proofmark_queue_age'],
    'proofmark_queue_age, which is no metric',
  ],
  ['a threshold that was never filled in', ['threshold: "30"', 'threshold: SLOTS'], 'has the threshold SLOTS'],
] as const)('%s is told', (_, [from, to], told) => {
  expect(sound).toContain(from);
  expect(ownProblems(readManifests(sound.replace(from, to))).join('\n')).toContain(told);
});
