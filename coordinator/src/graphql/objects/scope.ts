import { enumOf } from '../enum-of.ts';

export const ScopeType = enumOf('Scope', 'What a token may do.', {
  'runs:read': 'Read runs and their results.',
  'runs:write': 'Start and cancel runs.',
  'baseline:write': 'Start runs that others are compared with.',
  admin: 'Everything, tokens and repositories included.',
});
