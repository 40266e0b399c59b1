import type { Calibration } from '@proofmark/contracts/calibration';
import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/loaded';
import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import { type ModelKeys, readModelKeys } from '@proofmark/embedded/environment';
import type { JudgeMeasurement } from '@proofmark/embedded/measure-judges';
import { z } from 'zod';
import { type Command, type CommandContext, type CommandResult, done, wrongUsage } from '../arguments/command.ts';
import { type ExitCode, exitCodes } from '../arguments/exit-code.ts';
import { findRoot } from '../arguments/find-root.ts';
import { refuseProblems, usableDefinitions } from '../arguments/open-definitions.ts';
import { parseOptions, wholeNumberOption } from '../arguments/parse-arguments.ts';
import { calibrationText, isWeak, labelStep } from '../output/calibration-text.ts';
import { problemText } from '../output/problem-text.ts';
import { openProgress } from '../output/progress.ts';
import { answerWords } from '../output/run-progress.ts';

const Options = z.object({ json: z.boolean().default(false), concurrency: wholeNumberOption(1, 1000).optional() });
type Options = z.infer<typeof Options>;

export const calibrate: Command = {
  synopsis: '[paths] [--concurrency N] [--json]',
  optionHelp: [
    ['--concurrency N', 'how many answers are judged at once, limits.concurrency of the project by default'],
    ['--json', 'print the measurements as JSON'],
  ],
  options: { json: { type: 'boolean' }, concurrency: { type: 'string' } },
  run: async ({ values, positionals }, context) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    const keys = readModelKeys();
    if (!keys.ok) return wrongUsage(keys.problems.join('\n'));
    const usable = usableDefinitions(positionals, context, options.options);
    if (!usable.ok) return usable.result;
    const { definitions, warnings, files } = usable;
    if (warnings.length > 0) context.terminal.writeError(problemText(warnings, files));
    const suites = calibrated(definitions);
    if (suites.length === 0) return wrongUsage('No suite here names a `judge.calibration_file`.');
    const measuring = { definitions, suites, keys: keys.keys, root: findRoot(context.cwd, positionals) };
    const measured = await measureAll(measuring, options.options, context);
    if (!measured.ok) return refuseProblems(measured.problems, { context, files, json: options.options.json });
    return tell(measured.judges, options.options, context);
  },
};

interface CalibratedSuite {
  suite: LoadedSuite;
  calibration: Calibration;
}

const calibrated = ({ suites }: LoadedDefinitions): CalibratedSuite[] =>
  suites.flatMap((suite) => (suite.calibration === undefined ? [] : [{ suite, calibration: suite.calibration }]));

interface Measuring {
  definitions: LoadedDefinitions;
  suites: readonly CalibratedSuite[];
  keys: ModelKeys;
  root: string;
}

type MeasuredSuite = CalibratedSuite & { measurement: JudgeMeasurement };

/** One suite after another: each has all the slots, and equal questions of two suites are asked once. */
async function measureAll(
  { definitions: { project }, suites, keys, root }: Measuring,
  { concurrency = project.limits.concurrency }: Options,
  { terminal, signal }: CommandContext,
) {
  // Loaded late: models and drivers take longer to load than everything else together.
  const [{ measureJudge }, { openOwnPorts }] = await Promise.all([
    import('@proofmark/embedded/measure-judges'),
    import('@proofmark/embedded/case-ports'),
  ]);
  const judges: MeasuredSuite[] = [];
  await using open = openOwnPorts({ keys, root });
  for (const one of suites) {
    const progress = openProgress(terminal, { nowMs: () => performance.now(), signal, words: answerWords });
    const onJudged: Parameters<typeof measureJudge>[0]['onJudged'] = (event) => progress.step(labelStep(event));
    const measured = await measureJudge({ ...one, project, ports: open.ports, concurrency, signal, onJudged });
    progress.end();
    if (!measured.ok) return measured;
    judges.push({ ...one, measurement: measured.measurement });
  }
  return { ok: true as const, judges };
}

function tell(
  judges: readonly MeasuredSuite[],
  { json }: Options,
  { terminal, signal }: CommandContext,
): CommandResult {
  const code = signal.aborted ? exitCodes.interrupted : exitCodeOf(judges);
  if (json) terminal.write(renderAnswer({ exit_code: code, judges: judges.map(answer) }));
  else {
    const texts = judges.map(({ suite, calibration, measurement }) =>
      calibrationText({ suite: suite.suite.name, path: calibration.path }, measurement, terminal),
    );
    terminal.write(texts.join('\n'));
  }
  return done(code);
}

function exitCodeOf(judges: readonly MeasuredSuite[]): ExitCode {
  if (judges.some(({ measurement }) => isWeak(measurement))) return exitCodes.refusedByGate;
  return judges.some(({ measurement }) => measurement.unjudged.length > 0) ? exitCodes.notJudged : exitCodes.fine;
}

const answer = ({ suite, calibration, measurement }: MeasuredSuite) => ({
  suite: suite.suite.name,
  path: calibration.path,
  judge_hash: measurement.judgeHash,
  true_passes: measurement.counts.truePasses,
  false_fails: measurement.counts.falseFails,
  true_fails: measurement.counts.trueFails,
  false_passes: measurement.counts.falsePasses,
  tpr: measurement.agreement.tpr,
  tnr: measurement.agreement.tnr,
  kappa: measurement.agreement.kappa,
  agreement: measurement.agreement.agreement,
  majority_agreement: measurement.agreement.majorityAgreement,
  disagreements: measurement.disagreements.map(({ line, answer: { criterion, label }, decision, reasoning }) => ({
    line,
    criterion,
    label,
    decision,
    reasoning,
  })),
  unjudged: measurement.unjudged.map(({ line, error }) => ({ line, error })),
  skipped: measurement.skipped,
});
