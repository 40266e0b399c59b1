/** Tells a person at a terminal what happens, each step with the time it took. */
export class Narrator {
  readonly #started = performance.now();

  say(text: string): void {
    process.stdout.write(`${text}\n`);
  }

  title(text: string): void {
    this.say(`\n${text}\n${'─'.repeat(text.length)}`);
  }

  /** Runs a step and prints it with its time once it is done. */
  async step<Result>(text: string, work: () => Promise<Result>): Promise<Result> {
    const start = performance.now();
    const result = await work();
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    this.say(`${seconds.padStart(6)} s  ${text}`);
    return result;
  }

  indent(text: string, mark = '  │ '): void {
    for (const line of text.split('\n')) this.say(`${mark}${line}`.trimEnd());
  }

  get elapsed(): string {
    return `${((performance.now() - this.#started) / 1000).toFixed(1)} s`;
  }
}
