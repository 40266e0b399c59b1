import { enumOf } from '../enum-of.ts';

export const PurposeType = enumOf('SuiteRunPurpose', 'Why a suite run was made.', {
  first: 'The run asked for it.',
  confirm: 'It settles a suspicion with fresh trials of all cases.',
  rejudge: 'It judges stored answers of the base again, because the judge has changed; no agent is asked.',
  calibrate: 'It judges labelled answers, to see how far the judge agrees with people; no agent is asked.',
  drift: 'It brings more trials of a base that answers otherwise than in its history.',
});
