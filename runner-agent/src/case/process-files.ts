import type { CaseStep } from './case-state.ts';
import { withError } from './case-state.ts';

/** Turns the files of the case into text for the agent. A file that cannot be read ends the case before the agent is called. */
export const processFiles: CaseStep = async (state, { work }) => {
  if (work.case.files.length === 0) return state;
  return withError(state, 'files', 'File inputs are not supported by this runner yet');
};
