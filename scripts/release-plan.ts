import { published } from '../contracts/src/identity/published-names.ts';

/** What a release makes public, in this order: packages, images, a release that never changes, and the tag that moves. */
export interface ReleasePlan {
  version: string;
  /** Of the release, which is immutable: `v1.2.3`. */
  tag: string;
  /** What workflows name: `v1`. */
  movingTag: string;
  packages: readonly string[];
  images: readonly string[];
  /** The section of the CHANGELOG. */
  notes: string;
}

interface State {
  /** That of the package.json at the top. */
  version: string;
  changelog: string;
  /** Names of the files in `.changeset` that are not part of a version yet. */
  pending: readonly string[];
  /** `owner/name` of where this runs, as GitHub tells it; absent on a machine of somebody. */
  repository?: string | undefined;
}

type Planned = { ok: true; plan: ReleasePlan } | { ok: false; problems: string[] };

/** What to publish from a state of the repository, or everything that keeps it from being published. */
export function planRelease({ version, changelog, pending, repository }: State): Planned {
  const problems: string[] = [];
  const major = `v${version.split('.')[0]}`;
  const notes = sectionOf(changelog, version);
  if (pending.length > 0)
    problems.push(`${pending.join(', ')}: not part of a version yet. Run: npm run version, and commit what it writes`);
  if (notes === undefined) problems.push(`CHANGELOG.md has no section ${version}`);
  if (major !== published.actionVersion)
    problems.push(
      `Version ${version} moves the tag ${major}, but published-names.ts tells people ${published.actionVersion}: change it there and run npm run generate`,
    );
  if (repository !== undefined && repository !== published.repository)
    problems.push(
      `This runs in ${repository}, but the packages name ${published.repository}: the registry refuses that. One of the two is wrong (contracts/src/identity/published-names.ts)`,
    );
  if (problems.length > 0 || notes === undefined) return { ok: false, problems };
  const { command, client, coordinator, runner } = published.packages;
  const images = [coordinator, runner].map((name) => `${published.imageRegistry}/${name}:${version}`);
  const packages = [client, coordinator, runner, command];
  return { ok: true, plan: { version, tag: `v${version}`, movingTag: major, packages, images, notes } };
}

function sectionOf(changelog: string, version: string): string | undefined {
  const [, section] = changelog.split(new RegExp(`^## ${version.replaceAll('.', '\\.')}$`, 'm'));
  return section?.split(/^## /m)[0]?.trim();
}
