import { z } from 'zod';
import { AiConfiguration, providerNamed } from '../definitions/ai-configuration.ts';
import { didYouMean } from '../definitions/near-match.ts';
import { HttpUrl, KeyName, refusal } from '../definitions/texts.ts';
import { canonicalJson } from '../identity/canonical-json.ts';
import { type Finding, type Path, warning } from '../parse/finding.ts';
import { isMapping } from '../parse/schema-plan.ts';

const keyReference = z
  .string()
  .regex(
    /^\$\{[A-Z][A-Z0-9_]*\}$/,
    refusal(
      'forbidden_field',
      'a key never stands in a file',
      'Write the name of the environment variable that holds it in api_key_env.',
    ),
  );

/** A model written where it is used, as HoloDeck does: provider and model name, instead of the name of an AI configuration. */
const InlineModel = z.strictObject({
  ...AiConfiguration.shape,
  model: z.string().min(1).optional(),
  /** The model's name in HoloDeck's spelling. */
  name: z.string().min(1).optional(),
  endpoint: HttpUrl.optional(),
  api_key: keyReference.optional(),
  top_p: z.number().min(0).max(1).optional(),
  api_version: z.string().optional(),
  auth_provider: z.string().optional(),
});
type InlineModel = z.infer<typeof InlineModel>;

export const ModelReference = z.union([KeyName, InlineModel]);
export type ModelReference = z.infer<typeof ModelReference>;

/** The AI configuration that an inline model describes; undefined when it names no model. */
export function inlineConfiguration(inline: InlineModel): AiConfiguration | undefined {
  const {
    name,
    endpoint,
    api_key,
    top_p: _topP,
    api_version: _version,
    auth_provider: _auth,
    model = name,
    ...rest
  } = inline;
  if (model === undefined) return undefined;
  return {
    ...rest,
    model,
    ...(endpoint === undefined ? {} : { base_url: endpoint }),
    ...(api_key === undefined ? {} : { api_key_env: api_key.slice(2, -1) }),
  };
}

/** Keys of a HoloDeck model that are read, but reach no call. */
const ignoredKeys = ['top_p', 'api_version', 'auth_provider'];

const missingUrl = (provider: string, base: Path): Finding => ({
  path: [...base, 'base_url'],
  code: 'required',
  message: `\`base_url\` is missing: the provider \`${provider}\` has no address of its own`,
  at: 'key',
});

/** The rules between the keys of one AI configuration, in the project file or written where it is used. */
export function configurationFindings(raw: unknown, base: Path): Finding[] {
  if (!isMapping(raw)) return [];
  const { provider, base_url, endpoint } = raw;
  const needsUrl = typeof provider === 'string' && providerNamed(provider)?.needsUrl === true;
  return [
    ...(needsUrl && base_url === undefined && endpoint === undefined ? [missingUrl(provider, base)] : []),
    ...ignoredKeys
      .filter((key) => raw[key] !== undefined)
      .map((key) => warning([...base, key], 'unknown_field', `\`${key}\` has no effect here: it reaches no call`)),
  ];
}

/** The AI configurations of a project, and those that agents and metrics describe on the spot. */
export interface Configurations {
  /** Whether a name can be meant: also that of a configuration with an error, which is reported where it stands. */
  has: (name: string) => boolean;
  names: () => string[];
  /** Names written in the project file: what the variable `AIConfiguration` may be. */
  authored: readonly string[];
  /** False when the project file could not be read so far: then no name is known to be wrong. */
  areKnown: boolean;
  /** Keeps a configuration that has no name of its own; a name that is taken by another one gets a number. */
  adopt: (wanted: string, configuration: AiConfiguration) => string;
  get: (name: string) => AiConfiguration | undefined;
  all: () => Record<string, AiConfiguration>;
}

/** `named` are all names in the project file, those of configurations with an error too; undefined: it cannot be told. */
export function configurationsOf(
  written: Readonly<Record<string, AiConfiguration>>,
  named: readonly string[] | undefined,
): Configurations {
  const byName = new Map(Object.entries(written));
  const authored = named ?? [];
  const sameAt = (name: string, configuration: AiConfiguration): boolean =>
    canonicalJson(byName.get(name)) === canonicalJson(configuration);
  return {
    has: (name) => named === undefined || byName.has(name) || authored.includes(name),
    names: () => [...new Set([...byName.keys(), ...authored])],
    authored,
    areKnown: named !== undefined,
    adopt: (wanted, configuration) => {
      let name = wanted;
      for (let number = 2; byName.has(name) && !sameAt(name, configuration); number += 1)
        name = `${wanted} (${number})`;
      byName.set(name, configuration);
      return name;
    },
    get: (name) => byName.get(name),
    all: () => Object.fromEntries(byName),
  };
}

/** The finding for a name that no AI configuration of the project has. */
export function unknownConfiguration(
  name: string,
  { configurations }: { configurations: Configurations },
  path: Path,
): Finding {
  const names = configurations.names();
  const hint =
    names.length === 0
      ? 'Add it under `ai_configurations` in proofmark.yaml, with `provider` and `model`.'
      : `The project has: ${names.slice(0, 20).join(', ')}.`;
  return {
    path,
    code: 'not_found',
    message: `there is no AI configuration \`${name}\`${didYouMean(name, names)}`,
    hint,
  };
}
