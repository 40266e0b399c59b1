import { enumOf } from '../enum-of.ts';

export const ErrorKindType = enumOf('ErrorKind', 'Why a test run has no verdict.', {
  agent: 'The agent or its model gave no usable answer.',
  timeout: 'The agent took too long.',
  limit: 'A limit on turns, size or cost ended it.',
  variables: 'A variable has no value or a wrong one.',
  files: 'A file of the case cannot be read.',
  simulator: 'The simulated user failed.',
  mock: 'A mocked tool had no answer.',
  judge: 'A judge failed.',
  lost: 'No result came back from any runner.',
});
