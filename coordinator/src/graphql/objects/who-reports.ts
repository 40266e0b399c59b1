import { enumOf } from '../enum-of.ts';

export const WhoReportsType = enumOf('Reporting', 'Who writes checks and comments.', {
  APP: 'The coordinator, as the App that is installed on the repository.',
  NONE: 'Nobody here: the job writes what it was given.',
});
