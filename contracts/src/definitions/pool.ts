import { z } from 'zod';

const letters = '[a-zA-Z0-9_-]{1,32}';

/** Runners that take the same work go by one name. It is part of the name of a stream and of the work's subjects. */
export const PoolName = z
  .string()
  .regex(new RegExp(`^${letters}$`), 'must be 1 to 32 letters, digits, "-" or "_", such as default');

/** What names no pool goes to this one. */
export const DEFAULT_POOL = 'default';

/** Why nothing happens in a run whose pools nobody serves; '' where somebody does. The same words wherever a run is shown. */
export function noRunners(pools: readonly string[]): string {
  if (pools.length === 0) return '';
  if (pools.length === 1 && pools[0] === DEFAULT_POOL) return 'no runners connected';
  return `no runners connected to the ${pools.length === 1 ? 'pool' : 'pools'} ${pools.join(', ')}`;
}

/** A runner listens to each of its pools: more of them would cost the broker more than they are worth. */
const mostPools = 16;

/** Several of them in one text, such as the value of a variable. */
export const PoolNames = z
  .string()
  .regex(new RegExp(`^${letters}(,${letters}){0,${mostPools - 1}}$`), {
    error: `must be 1 to ${mostPools} names of 1 to 32 letters, digits, "-" or "_", separated by commas, such as default,gpu`,
  })
  .transform((text) => [...new Set(text.split(','))]);
