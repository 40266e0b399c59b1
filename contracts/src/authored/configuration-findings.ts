import { providerNamed } from '../definitions/providers.ts';
import { type Finding, warning } from '../parse/finding.ts';
import type { Path } from '../parse/path-text.ts';
import { isMapping } from '../parse/schema-plan.ts';

/** Keys of a HoloDeck model that are read, but reach no call. */
const ignoredKeys = ['top_p', 'api_version', 'auth_provider'];

/** The rules between the keys of one AI configuration, in the project file or written where it is used. */
export function configurationFindings(raw: unknown, base: Path): Finding[] {
  if (!isMapping(raw)) return [];
  const { provider, base_url, endpoint } = raw;
  const needsUrl = typeof provider === 'string' && providerNamed(provider)?.needsUrl === true;
  const missing: Finding = {
    path: [...base, 'base_url'],
    code: 'required',
    message: `\`base_url\` is missing: the provider \`${String(provider)}\` has no address of its own`,
    at: 'key',
  };
  return [
    ...(needsUrl && base_url === undefined && endpoint === undefined ? [missing] : []),
    ...ignoredKeys
      .filter((key) => raw[key] !== undefined)
      .map((key) => warning([...base, key], 'unknown_field', `\`${key}\` has no effect here: it reaches no call`)),
  ];
}
