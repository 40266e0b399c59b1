import {
  IdempotencyConflictType,
  InvalidDefinitionsType,
  InvalidInputType,
  MissingBlobsType,
  NotAllowedType,
  NotFoundType,
  RateLimitedType,
} from './user-error.ts';

/** Why no run was started, whatever it was to be started from. */
export const startFailureTypes = [
  InvalidDefinitionsType,
  IdempotencyConflictType,
  RateLimitedType,
  MissingBlobsType,
  NotAllowedType,
  InvalidInputType,
  NotFoundType,
];
