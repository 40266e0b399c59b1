import type { AiConfiguration } from '../definitions/ai-configuration.ts';
import { canonicalJson } from '../identity/canonical-json.ts';

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
