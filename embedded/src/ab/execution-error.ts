/**
 * The engine itself could not go on: a result that cannot be written, a session that cannot be read. What goes wrong
 * with an agent is never this; it is the `error` of its response.
 */
export class ExecutionError extends Error {
  override readonly name = 'ExecutionError';
}

/** Runs a step of the engine; whatever it throws is an `ExecutionError` that says what was tried. */
export async function asExecution<Value>(attempted: string, step: () => Promise<Value>): Promise<Value> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof ExecutionError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ExecutionError(`${attempted}: ${reason}`, { cause: error });
  }
}
