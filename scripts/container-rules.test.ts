import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { composeProblems, containerFileProblems } from './container-rules.ts';

const container = `FROM docker.io/library/node:24.21.0-bookworm-slim AS build
RUN npm install
FROM build AS runtime
COPY --from=build /app /app
USER 65532:65532
HEALTHCHECK CMD ["node", "health.mjs"]
CMD ["node", "main.mjs"]
`;

test('a container file with an ordinary user, a health check and pinned bases is sound', () => {
  expect(containerFileProblems('x', container)).toEqual([]);
});

test.each([
  ['a word that no builder knows', ['RUN npm', 'RUM npm'], 'x:2 '],
  ['a flag that no builder knows', ['--from=build', '--form=build'], 'x:4 '],
  ['a process that is root', ['USER 65532:65532\n', ''], 'ends as root'],
  ['a user by name', ['USER 65532:65532', 'USER node'], 'ends as USER node'],
  ['nobody who asks whether it lives', ['HEALTHCHECK CMD ["node", "health.mjs"]\n', ''], 'has no HEALTHCHECK'],
  ['a shell before the process', ['CMD ["node", "main.mjs"]\n', 'CMD node main.mjs\n'], 'CMD starts a shell'],
  ['a base without a version', ['node:24.21.0-bookworm-slim', 'node'], 'names no version'],
  ['a base that moves', ['node:24.21.0-bookworm-slim', 'node:latest'], 'names no version'],
  ['what fetches', ['COPY --from=build /app', 'ADD https://example.com/app'], 'ADD may fetch'],
] as const)('in a container file %s is told', (_, [from, to], told) => {
  expect(container).toContain(from);
  expect(containerFileProblems('x', container.replace(from, to)).join('\n')).toContain(told);
});

const compose = `name: shop
services:
  web:
    image: docker.io/library/postgres:18
    ports: ["127.0.0.1:8080:8080"]
`;

test.each([
  ['nothing', ['', ''], ''],
  ['a key that there is not', ['image:', 'imagee:'], 'must NOT have additional properties'],
  ['a port that everybody reaches', ['127.0.0.1:8080:8080', '8080:8080'], 'without specifying the interface'],
  ['an image that moves', ['postgres:18', 'postgres:latest'], 'does not have a concrete version tag'],
  ['no YAML', ['name: shop', 'name: [shop'], 'Invalid YAML'],
] as const)('in a compose file %s is told', async (_, [from, to], told) => {
  const folder = await mkdtemp(join(tmpdir(), 'proofmark-compose-'));
  try {
    await writeFile(join(folder, 'compose.yaml'), compose.replace(from, to));
    const problems = composeProblems(join(folder, 'compose.yaml'));
    expect(problems).toHaveLength(told === '' ? 0 : 1);
    expect(problems.join('\n')).toContain(told);
  } finally {
    await rm(folder, { recursive: true });
  }
});
