import { z } from 'zod';

const letters = '[a-zA-Z0-9_-]{1,32}';

/** Runners that take the same work go by one name. It is part of the name of a stream and of the work's subjects. */
export const PoolName = z
  .string()
  .regex(new RegExp(`^${letters}$`), 'must be 1 to 32 letters, digits, "-" or "_", such as default');

/** What names no pool goes to this one. */
export const DEFAULT_POOL = 'default';

/** A runner listens to each of its pools: more of them would cost the broker more than they are worth. */
const mostPools = 16;

/** Several of them in one text, such as the value of a variable. */
export const PoolNames = z
  .string()
  .regex(new RegExp(`^${letters}(,${letters}){0,${mostPools - 1}}$`), {
    error: `must be 1 to ${mostPools} names of 1 to 32 letters, digits, "-" or "_", separated by commas, such as default,gpu`,
  })
  .transform((text) => [...new Set(text.split(','))]);
