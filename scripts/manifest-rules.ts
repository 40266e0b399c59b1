import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { coordinatorVariables } from '../coordinator/src/environment.ts';
import { listedMetrics } from '../process/src/metrics/metric-list.ts';
import { runnerVariables } from '../runner-agent/src/environment.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');

const Labels = z.record(z.string(), z.string());
const Named = z.looseObject({ name: z.string() });
const Container = z.looseObject({
  name: z.string(),
  image: z.string(),
  ports: z.array(z.looseObject({ name: z.string(), containerPort: z.number() })).default([]),
  env: z.array(Named).default([]),
  envFrom: z.array(z.looseObject({ configMapRef: Named.optional(), secretRef: Named.optional() })).default([]),
  securityContext: z
    .looseObject({ readOnlyRootFilesystem: z.boolean(), allowPrivilegeEscalation: z.boolean() })
    .partial()
    .default({}),
  resources: z.looseObject({ requests: Labels, limits: Labels }).partial().default({}),
  livenessProbe: z.unknown().optional(),
  readinessProbe: z.unknown().optional(),
  lifecycle: z
    .looseObject({ preStop: z.looseObject({ sleep: z.looseObject({ seconds: z.number() }) }).partial() })
    .optional(),
});
type Container = z.infer<typeof Container>;
const Pod = z.looseObject({
  metadata: z.looseObject({ labels: Labels.default({}) }),
  spec: z.looseObject({
    automountServiceAccountToken: z.boolean().default(true),
    terminationGracePeriodSeconds: z.number().default(30),
    securityContext: z.looseObject({ runAsNonRoot: z.boolean() }).partial().default({}),
    containers: z.array(Container).min(1),
  }),
});
type Pod = z.infer<typeof Pod>;
const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: Named,
  data: Labels.optional(),
  spec: z.looseObject({ template: Pod.optional() }).optional(),
});
export type Manifest = z.infer<typeof Manifest>;

export const readManifests = (text: string): Manifest[] =>
  parseAllDocuments(text).map((document) => Manifest.parse(document.toJS()));

/** The program that renders a folder of Kustomize; undefined where there is none. */
export async function findKustomize(): Promise<readonly string[] | undefined> {
  for (const command of [
    ['kubectl', 'kustomize'],
    ['kustomize', 'build'],
  ]) {
    const [program = '', word = ''] = command;
    const isThere = await run(program, [word, '--help']).then(
      () => true,
      () => false,
    );
    if (isThere) return command;
  }
  return undefined;
}

export async function render(folder: string, [program = '', ...words]: readonly string[]): Promise<string> {
  const { stdout } = await run(program, [...words, folder], { maxBuffer: 1 << 26 });
  return stdout;
}

const packageOf = (group: string): string | undefined => {
  if (group === 'keda.sh') return `@kubernetes-models/${group.replace('.sh', '')}`;
  if (group === 'monitoring.coreos.com') return '@kubernetes-models/prometheus-operator';
  return group === '' || !group.includes('.') || group.endsWith('.k8s.io') ? 'kubernetes-models' : undefined;
};

/**
 * What the API of a cluster would refuse: keys that it does not know, values of another type, what is missing. The compiler holds
 * each object against the types that are made of the schemas of Kubernetes, KEDA and the Prometheus operator.
 */
export async function schemaProblems(manifests: readonly Manifest[]): Promise<string[]> {
  const cache = join(root, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'manifests-'));
  try {
    const unknown: string[] = [];
    const names = new Map<string, string>();
    for (const manifest of manifests) {
      const { apiVersion, kind, metadata } = manifest;
      const name = `${kind} ${metadata.name}`;
      const models = packageOf(apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '');
      if (models === undefined) {
        unknown.push(`${name}: there is no schema of ${apiVersion}`);
        continue;
      }
      const file = `${names.size}.ts`;
      names.set(file, name);
      const typed = `export const it: I${kind} = ${JSON.stringify(manifest, null, 2)};`;
      await writeFile(join(folder, file), `import type { I${kind} } from '${models}/${apiVersion}';\n${typed}\n`);
    }
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--ignoreConfig', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', ''];
    const files = [...names.keys()].map((file) => join(folder, file));
    const told = await run(process.execPath, [compiler, ...options, ...files], { cwd: root }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    );
    const problems = Array.from(
      told.matchAll(/(\d+\.ts)\(\d+,\d+\): error TS\d+: (.+)/g),
      ([, file = '', message]) => `${names.get(file)}: ${message}`,
    );
    // An error that names no object, such as that of a compiler that does not start, is one as well.
    return [...unknown, ...(problems.length === 0 && told !== '' ? [told] : problems)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const Selector = z.looseObject({ matchLabels: Labels });
const Service = z.looseObject({
  selector: Labels,
  ports: z.array(
    z.looseObject({ name: z.string(), port: z.number(), targetPort: z.union([z.string(), z.number()]).optional() }),
  ),
});
const Budget = z.looseObject({ selector: Selector });
const Policy = z.looseObject({ podSelector: Selector, policyTypes: z.array(z.string()) });
const Scaled = z.looseObject({
  scaleTargetRef: Named,
  triggers: z.array(z.looseObject({ metadata: z.looseObject({ query: z.string(), threshold: z.string() }) })),
});
const PodMonitor = z.looseObject({
  selector: Selector,
  podMetricsEndpoints: z.array(z.looseObject({ port: z.string() })),
});
const Monitor = z.looseObject({ selector: Selector, endpoints: z.array(z.looseObject({ port: z.string() })) });

/** How long a process may take to end, in seconds, beside what `preStop` waits; a runner adds the grace of its cases. */
const endsWithin = { coordinator: 20, runner: 20, nats: 35, migrate: 0 };
const variables = {
  coordinator: coordinatorVariables.shape,
  migrate: coordinatorVariables.shape,
  runner: runnerVariables.shape,
};

/** What a cluster would take and nobody wants: what is less closed than it can be, and names that lead nowhere. */
export function ownProblems(manifests: readonly Manifest[]): string[] {
  const pods = manifests.flatMap(({ kind, metadata, spec }) =>
    spec?.template === undefined ? [] : [{ name: `${kind} ${metadata.name}`, kind, pod: spec.template }],
  );
  const matching = (selector: Readonly<Record<string, string>>) =>
    pods.filter(({ pod }) => Object.entries(selector).every(([key, value]) => pod.metadata.labels[key] === value));
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy').map(({ spec }) => Policy.parse(spec));
  const problems = pods.flatMap(({ name, kind, pod }) => [
    ...podProblems(pod).map((problem) => `${name} ${problem}`),
    ...pod.spec.containers.flatMap((container) => [
      ...containerProblems(container, kind === 'Job').map((problem) => `${name} ${problem}`),
      ...settingProblems(container, manifests).map((problem) => `${name} ${problem}`),
      ...graceProblems(container, pod, manifests).map((problem) => `${name} ${problem}`),
    ]),
    ...['Ingress', 'Egress'].flatMap((type) => {
      const isClosed = policies.some(
        ({ podSelector, policyTypes }) =>
          policyTypes.includes(type) && matching(podSelector.matchLabels).some((one) => one.pod === pod),
      );
      return isClosed ? [] : [`${name} may have any ${type.toLowerCase()}: no network policy says what it needs`];
    }),
  ]);
  for (const manifest of manifests) problems.push(...referenceProblems(manifest, { manifests, matching }));
  return problems;
}

function podProblems({ spec }: Pod): string[] {
  return [
    ...(spec.securityContext.runAsNonRoot === true ? [] : ['may run as root: runAsNonRoot']),
    ...(spec.automountServiceAccountToken
      ? ['has a token of the cluster that it does not need: automountServiceAccountToken']
      : []),
  ];
}

function containerProblems(
  { image, securityContext, resources, livenessProbe, readinessProbe }: Container,
  isJob: boolean,
): string[] {
  const { readOnlyRootFilesystem, allowPrivilegeEscalation } = securityContext;
  return [
    ...(readOnlyRootFilesystem === true ? [] : ['writes to its root: readOnlyRootFilesystem']),
    ...(allowPrivilegeEscalation === false ? [] : ['may get more rights: allowPrivilegeEscalation: false']),
    ...(resources.limits?.memory === undefined || resources.requests?.cpu === undefined
      ? ['has no bound of memory, or asks for no processor']
      : []),
    ...(isJob || (livenessProbe !== undefined && readinessProbe !== undefined)
      ? []
      : ['has no livenessProbe or no readinessProbe']),
    ...(/:[\w.-]*\d[\w.-]*$|@sha256:/.test(image) ? [] : [`runs ${image}, which names no version`]),
  ];
}

/** Every variable that a config map or an entry sets is one that the process reads. */
function settingProblems({ name, env, envFrom }: Container, manifests: readonly Manifest[]): string[] {
  const problems: string[] = [];
  const given = env.map((one) => one.name);
  for (const { configMapRef } of envFrom) {
    if (configMapRef === undefined) continue;
    const map = manifests.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === configMapRef.name);
    if (map === undefined) problems.push(`takes settings from the config map ${configMapRef.name}, which there is not`);
    given.push(...Object.keys(map?.data ?? {}));
  }
  const known = Object.entries(variables).find(([process]) => process === name)?.[1];
  const unknown = known === undefined ? [] : given.filter((variable) => !(variable in known));
  return [...problems, ...unknown.map((variable) => `sets ${variable}, which its process does not read`)];
}

function graceProblems(
  { name, envFrom, lifecycle }: Container,
  { spec }: Pod,
  manifests: readonly Manifest[],
): string[] {
  const ending = Object.entries(endsWithin).find(([process]) => process === name)?.[1];
  if (ending === undefined) return [`has a container ${name}, of which nobody knows how long it takes to end`];
  const maps = envFrom.map(({ configMapRef }) =>
    manifests.find(({ metadata }) => metadata.name === configMapRef?.name),
  );
  const graceMs = Number(
    maps.find((map) => map?.data?.PROOFMARK_RUNNER_GRACE_MS !== undefined)?.data?.PROOFMARK_RUNNER_GRACE_MS ?? 0,
  );
  const needed = ending + graceMs / 1000 + (lifecycle?.preStop?.sleep?.seconds ?? 0);
  return spec.terminationGracePeriodSeconds > needed
    ? []
    : [`is killed after ${spec.terminationGracePeriodSeconds} s and may take ${needed} s to end`];
}

interface Surroundings {
  manifests: readonly Manifest[];
  matching: (selector: Readonly<Record<string, string>>) => { pod: Pod }[];
}

/** Selectors that choose nothing, ports and metrics that do not exist. */
function referenceProblems({ kind, metadata, spec }: Manifest, { manifests, matching }: Surroundings): string[] {
  const told = (problem: string) => `${kind} ${metadata.name} ${problem}`;
  if (kind === 'Service') {
    const { selector, ports } = Service.parse(spec);
    const [chosen] = matching(selector);
    const open = chosen?.pod.spec.containers.flatMap((container) => container.ports) ?? [];
    const isOpen = ({ port, targetPort = port }: (typeof ports)[number]) =>
      open.some((one) => one.name === targetPort || one.containerPort === targetPort);
    return chosen === undefined
      ? [told('chooses no pod')]
      : ports
          .filter((port) => !isOpen(port))
          .map(({ name }) => told(`sends ${name} to a port that its pods do not open`));
  }
  if (kind === 'PodDisruptionBudget')
    return matching(Budget.parse(spec).selector.matchLabels).length === 0 ? [told('chooses no pod')] : [];
  if (kind === 'ServiceMonitor') {
    const { selector, endpoints } = Monitor.parse(spec);
    const services = manifests.filter(
      (one) =>
        one.kind === 'Service' &&
        Object.entries(selector.matchLabels).every(
          ([key, value]) => Labels.parse(one.metadata.labels ?? {})[key] === value,
        ),
    );
    const ports = services.flatMap((service) => Service.parse(service.spec).ports.map(({ name }) => name));
    return endpoints
      .filter(({ port }) => !ports.includes(port))
      .map(({ port }) => told(`reads the port ${port} of no service`));
  }
  if (kind === 'PodMonitor') {
    const { selector, podMetricsEndpoints } = PodMonitor.parse(spec);
    const open = matching(selector.matchLabels).flatMap(({ pod }) => pod.spec.containers.flatMap(({ ports }) => ports));
    return podMetricsEndpoints
      .filter(({ port }) => open.every(({ name }) => name !== port))
      .map(({ port }) => told(`reads the port ${port} of no pod`));
  }
  if (kind !== 'ScaledObject') return [];
  const { scaleTargetRef, triggers } = Scaled.parse(spec);
  const isThere = manifests.some((one) => one.kind === 'Deployment' && one.metadata.name === scaleTargetRef.name);
  const named = triggers.flatMap(
    (trigger) => trigger.metadata.query.match(/proofmark_\w+/g) ?? ['(nothing of Proofmark)'],
  );
  return [
    ...(isThere ? [] : [told(`scales ${scaleTargetRef.name}, which there is not`)]),
    ...named
      .filter((name) => listedMetrics.every((one) => one.name !== name))
      .map((name) => told(`asks for ${name}, which is no metric`)),
    ...triggers
      .filter((trigger) => !/^\d+$/.test(trigger.metadata.threshold))
      .map((trigger) => told(`has the threshold ${trigger.metadata.threshold}`)),
  ];
}
