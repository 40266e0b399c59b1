/** Every kind that the vectors' README names. A vector of another kind is a failure, not a gap. */
export const knownKinds: ReadonlySet<string> = new Set(
  [
    ['variable_resolution', 'cli_variables', 'matrix', 'text_metrics'],
    ['test_case', 'file_input', 'metric', 'evaluation_config', 'suite', 'definition'],
    ['summary', 'test_passed', 'metric_passed', 'tools_matched', 'test_result_counts', 'validate_summary'],
    ['validate_report', 'validate_metric_result', 'validate_test_result', 'validate_processed_file'],
    ['agent_response', 'ab_result', 'session', 'retry_delays', 'retry_outcome', 'execution_stats', 'csv_row'],
    ['format_duration', 'format_pass_rate'],
    ['run_pass_rate', 'regression', 'schedule_due', 'schedule_window', 'retention', 'truncate_response'],
    ['contains_phrases', 'behavior_mode', 'similarity', 'judge_parse'],
    ['statistics.wilson', 'statistics.mcnemarExact', 'statistics.passAtK', 'statistics.passHatK'],
    ['statistics.newcombeUnpaired', 'statistics.newcombePaired', 'statistics.benjaminiHochberg'],
    ['statistics.pairedDifference', 'statistics.exactStratified', 'statistics.fisherCase'],
    ['statistics.betaBinomial', 'statistics.eValue', 'statistics.power.repeats', 'statistics.power.miller'],
    ['statistics.quantiles.normal', 'statistics.quantiles.t', 'statistics.quantiles.betaInc', 'statistics.gate'],
  ].flat(),
);

/** Files whose vectors carry no kind because all are of one. */
const kindOfFile: ReadonlyMap<string, string> = new Map([
  ['variable-resolution', 'variable_resolution'],
  ['cli-variables', 'cli_variables'],
  ['matrix', 'matrix'],
  ['text-metrics', 'text_metrics'],
]);

/** The kind of a vector without one, from the beginning of its file's name; an unknown file gives an unknown kind. */
export function kindFromFile(file: string): string {
  for (const [stem, kind] of kindOfFile) if (file.startsWith(stem)) return kind;
  return `no kind (${file})`;
}
