import type { AiConfiguration } from '../definitions/ai-configuration.ts';
import { canonicalJson } from '../identity/canonical-json.ts';

/** The AI configurations of a project, and those that agents and metrics describe on the spot. */
export interface Configurations {
  has: (name: string) => boolean;
  names: () => string[];
  /** Names written in the project file: what the variable `AIConfiguration` may be. */
  authored: readonly string[];
  /** Keeps a configuration that has no name of its own; a name that is taken by another one gets a number. */
  adopt: (wanted: string, configuration: AiConfiguration) => string;
  get: (name: string) => AiConfiguration | undefined;
  all: () => Record<string, AiConfiguration>;
}

export function configurationsOf(written: Readonly<Record<string, AiConfiguration>>): Configurations {
  const byName = new Map(Object.entries(written));
  const sameAt = (name: string, configuration: AiConfiguration): boolean =>
    canonicalJson(byName.get(name)) === canonicalJson(configuration);
  return {
    has: (name) => byName.has(name),
    names: () => [...byName.keys()],
    authored: Object.keys(written),
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
