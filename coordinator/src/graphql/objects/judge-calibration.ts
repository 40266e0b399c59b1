import type { JudgeCalibration } from '@proofmark/contracts/judge-measurement';
import { builder } from '../builder.ts';

const share = 'from 0 to 1; null where nothing was counted.';

export const JudgeCalibrationType = builder.objectRef<JudgeCalibration>('JudgeCalibration').implement({
  description: 'How far the judge of a suite agrees with answers that people have labelled.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'The calibration file.' }),
    judgeHash: t.exposeString('judgeHash', {
      description: 'Identity of the judge: models, parameters, prompt, rubric.',
    }),
    labels: t.exposeInt('labels', { description: 'Labelled answers in the file.' }),
    isMeasured: t.exposeBoolean('isMeasured', { description: 'Whether enough of them were decided about.' }),
    problem: t.exposeString('problem', {
      nullable: true,
      description: 'Why not all of them were decided about; null when they were.',
    }),
    isWeak: t.exposeBoolean('isWeak', {
      description: 'Kappa is below 0.6: the check is neutral at most, whatever the verdict.',
    }),
    tpr: t.exposeFloat('tpr', {
      nullable: true,
      description: `Of what people passed, the share that the judge passed, ${share}`,
    }),
    tnr: t.exposeFloat('tnr', {
      nullable: true,
      description: `Of what people failed, the share that the judge failed, ${share}`,
    }),
    kappa: t.exposeFloat('kappa', {
      nullable: true,
      description: "Cohen's kappa: agreement beyond chance, at most 1.",
    }),
    agreement: t.exposeFloat('agreement', { nullable: true, description: `Share of equal decisions, ${share}` }),
    majorityAgreement: t.exposeFloat('majorityAgreement', {
      nullable: true,
      description: 'What a judge would reach that always gives the more frequent label.',
    }),
    correctedPassRate: t.exposeFloat('correctedPassRate', {
      nullable: true,
      description: 'The pass rate behind the one of the head, 0 to 100; null when the judge is no better than chance.',
    }),
  }),
});
