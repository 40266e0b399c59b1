const longestMessage = 2_000;
const deepestCause = 5;

/** What a log keeps of an error: never the parameters, requests and rows that libraries hang on theirs. */
export interface DescribedError {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: DescribedError;
}

/** Any thrown value as a log holds it. */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) return { type: typeof error, message: cut(String(error)) };
  const { name, stack, cause } = error;
  const code = codeOf(error);
  return {
    type: name,
    message: cut(reasonOf(error)),
    ...(code === undefined ? {} : { code }),
    ...(stack === undefined ? {} : { stack: cut(stack) }),
    ...(cause === undefined || depth >= deepestCause ? {} : { cause: describeError(cause, depth + 1) }),
  };
}

/** Why something failed, in one line. A name with several addresses fails with one error for each, and none of its own. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message === '' && error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return (error.message || error.name).replaceAll(/\s+/g, ' ');
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && (typeof error.code === 'string' || typeof error.code === 'number')
    ? String(error.code)
    : undefined;
}

function cut(text: string): string {
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
}
