import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';
import { z } from 'zod';

/** What is wrong with a container file: what a builder would refuse, and what gives the process more than it needs. */
export function containerFileProblems(path: string, text: string): string[] {
  const refused = validate(text).map(
    ({ range, message }) => `${path}:${range.start.line + 1} ${typeof message === 'string' ? message : message.value}`,
  );
  const last = (instruction: string) => text.match(new RegExp(`^${instruction} .*$`, 'gm'))?.at(-1);
  const user = last('USER');
  return [
    ...refused,
    ...unpinnedBases(path, text),
    ...(user !== undefined && /^USER [1-9]\d*(:[1-9]\d*)?$/.test(user)
      ? []
      : [`${path}: ends as ${user ?? 'root'}. Name an ordinary user by number, which a cluster can check`]),
    ...(last('HEALTHCHECK') === undefined ? [`${path}: has no HEALTHCHECK`] : []),
    ...(/^CMD \[/.test(last('CMD') ?? '')
      ? []
      : [`${path}: CMD starts a shell, which takes no signal to the process: use a list`]),
    ...(/^ADD /m.test(text) ? [`${path}: ADD may fetch and unpack; COPY only copies`] : []),
  ];
}

/** Bases that are not stages of the file name the version that they were tried with. */
function unpinnedBases(path: string, text: string): string[] {
  const stages = new Set(Array.from(text.matchAll(/^FROM \S+ AS (\S+)$/gm), ([, stage]) => stage));
  const bases = Array.from(text.matchAll(/^FROM (\S+)/gm), ([, base = '']) => base).filter((base) => !stages.has(base));
  return bases
    .filter((base) => !/:[\w.-]+$/.test(base) || base.endsWith(':latest'))
    .map((base) => `${path}: builds on ${base}, which names no version`);
}

const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] });
const Linted = z.array(
  z.looseObject({ messages: z.array(z.looseObject({ rule: z.string(), line: z.number(), message: z.string() })) }),
);
/** Of what the linter looks for: the order of keys is ours to choose, and the file on top of another one has no name of its own. */
const heeded = new Set([
  'invalid-yaml',
  'invalid-schema',
  'unknown-error',
  'no-build-and-image',
  'no-duplicate-container-names',
  'no-duplicate-exported-ports',
  'no-unbound-port-interfaces',
  'no-version-field',
  'service-image-require-explicit-tag',
]);

/** What is wrong with a compose file: what its schema refuses, ports that everybody reaches, images without a version. */
export function composeProblems(path: string): string[] {
  const [result] = Linted.parse(linter.lintFiles([path], false));
  if (result === undefined) return [`${path}: there is no such file`];
  return result.messages
    .filter(({ rule }) => heeded.has(rule))
    .map(({ line, message }) => `${path}:${line} ${message}`);
}
