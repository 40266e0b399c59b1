import type { Instrument } from '@proofmark/contracts/case-work';
import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { DEFAULT_POOL } from '@proofmark/contracts/pool';
import type { Problem } from '@proofmark/contracts/problem';
import type { AiConfigurations } from './choose-model.ts';
import type { PreparedCase } from './plan-test-runs.ts';
import { suiteProblem } from './run-request.ts';

interface Asked {
  loaded: LoadedSuite;
  cases: readonly PreparedCase[];
  instrument: Instrument;
  aiConfigurations: AiConfigurations;
}

/**
 * The pool of runners that executes a suite run: the one that the suite names, else the one from which its models are reached.
 * A test run is executed by one runner, so models of several pools leave open which one it is.
 */
export function poolOfSuite({ loaded, ...asked }: Asked): { pool: string; problems: Problem[] } {
  if (loaded.suite.pool !== undefined) return { pool: loaded.suite.pool, problems: [] };
  const named = new Map<string, string>();
  for (const name of configurationsOf(asked)) {
    const pool = asked.aiConfigurations[name]?.pool;
    if (pool !== undefined && !named.has(pool)) named.set(pool, name);
  }
  const [first = DEFAULT_POOL] = named.keys();
  if (named.size < 2) return { pool: first, problems: [] };
  const places = [...named].map(([pool, name]) => `${name} from ${pool}`).join(', ');
  const message = `The AI configurations of this suite are reached from several pools of runners: ${places}`;
  const hint = 'A test run is executed by one runner: name the pool of the suite whose runners reach all of them.';
  return { pool: first, problems: [suiteProblem(loaded.path, 'pool', { code: 'mismatch', message, hint })] };
}

/** Who answers comes first, then who measures. */
function configurationsOf({ cases, instrument }: Pick<Asked, 'cases' | 'instrument'>): Set<string> {
  const { judge, panel = [], simulator, embedding, metricModels = {} } = instrument;
  const answering = cases.map(({ agent }) => (agent.ok ? agent.model : null));
  const measuring = [judge, ...panel, simulator?.model, embedding, ...Object.values(metricModels)];
  return new Set([...answering, ...measuring].flatMap((model) => model?.configuration ?? []));
}
