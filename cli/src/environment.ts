/** What the command reads from the environment, apart from model keys. */
export interface CliEnvironment {
  /** NO_COLOR is set, or the terminal cannot show colours. */
  refusesColor: boolean;
  isCi: boolean;
}

export function readEnvironment(variables: Readonly<Record<string, string | undefined>> = process.env): CliEnvironment {
  const { NO_COLOR = '', TERM, CI = '' } = variables;
  return { refusesColor: NO_COLOR !== '' || TERM === 'dumb', isCi: CI !== '' && CI !== 'false' };
}
