import { type RunSettings, StartRunInput } from '@proofmark/contracts/start-run-input';
import { StartStoredRunInput, StoredValuesInput } from '../../start/start-stored-run.ts';
import { inputTypesOf } from '../input-types.ts';
import { enumOf, RunTriggerType } from '../words.ts';

const OnErrorType = enumOf<RunSettings['onError']>('OnError', 'What errors do to the conclusion.', {
  block: 'No verdict at all is a failure, any errored test run caps at neutral.',
  allow: 'No verdict is neutral, and errors cap nothing.',
});

const CommentModeType = enumOf<RunSettings['comment']>('CommentMode', 'When the pull request gets a comment.', {
  regressions: 'Only where something regressed.',
  changes: 'Wherever something changed, for better or worse.',
  always: 'Whatever came of it.',
  off: 'There is no comment.',
});

const BaselineModeType = enumOf<RunSettings['baseline']>('BaselineMode', 'What the run is compared with.', {
  auto: 'The best base run there is.',
  run: 'The same, and where none counts, the merge base is executed beside the head. Needs the App.',
  none: 'There is nothing to compare with.',
});

const inputType = inputTypesOf({
  RunTrigger: RunTriggerType,
  OnError: OnErrorType,
  CommentMode: CommentModeType,
  BaselineMode: BaselineModeType,
});

export const StartRunInputType = inputType(StartRunInput);

export const DefinitionFileType = inputType(StartRunInput.shape.files.element);

export const StoredValuesInputType = inputType(StoredValuesInput);

export const StartStoredRunInputType = inputType(StartStoredRunInput);
