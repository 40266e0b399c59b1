import { formatMs, formatRate, formatUsd, plural } from '@proofmark/domain/format-numbers';
import type { Terminal } from './terminal.ts';

/** One thing of many that ended: a test run, a pair of answers. */
export interface ShownStep {
  done: number;
  total: number;
  state: 'passed' | 'failed' | 'error' | 'skipped';
  /** Null when nothing had a known price. */
  costUsd: number | null;
  /** What can be said about it, in whole lines. */
  lines: string;
  /** Why it could not be judged, word for word; what many have in common is not told of each. */
  error?: string;
  /** Worth to stay on the screen however many things there are. */
  isNews: boolean;
}

/** Shows how something long goes on: at a terminal one line that moves, elsewhere lines now and then. */
export interface ShownProgress {
  step: (step: ShownStep) => void;
  /** Counts what an earlier process got: the steps that follow begin behind it. */
  recall: (earlier: EarlierSteps) => void;
  /** Takes the moving line away. */
  end: () => void;
}

export interface EarlierSteps {
  passed: number;
  failed: number;
  error: number;
  costUsd: number;
}

export interface ProgressOptions {
  nowMs: () => number;
  /** When it is aborted, one line says what happens now. */
  signal: AbortSignal;
  /** What the steps are called where they are no test runs, and what is said of those that came out well. */
  words?: { thing: string; passed: string };
}

const usualWords = { thing: 'test run', passed: 'passed' };

/** So many things have a line each where nothing moves; of more there are lines about all of them. */
const mostLines = 100;
const mostNews = 200;
const plainEveryMs = 10_000;
const redrawEveryMs = 1_000;
/** Nobody reads faster, and a terminal should not be what a fast run waits for. */
const drawAtMostEveryMs = 50;

export function openProgress(terminal: Terminal, options: ProgressOptions): ShownProgress {
  const counts = openCounts(options);
  const shown = terminal.isInteractive ? movingLine(terminal, counts, options) : plainLines(terminal, counts, options);
  const repeats = openRepeats((options.words ?? usualWords).thing);
  const tellInterruption = () => shown.tell('Interrupted: ending what is running. Ctrl-C again stops at once.\n');
  options.signal.addEventListener('abort', tellInterruption, { once: true });
  return {
    recall: counts.recall,
    step: (step) => {
      // After an interruption all that is left is skipped at once: nobody wants to see that counted.
      if (!(options.signal.aborted && step.state === 'skipped')) shown.step(repeats.fold(step));
    },
    end: () => {
      options.signal.removeEventListener('abort', tellInterruption);
      const more = repeats.end();
      if (more !== '') shown.tell(more);
      shown.end();
    },
  };
}

/** The same error in a row is told so often; more of it is only counted. */
const mostRepeats = 3;

/** Folds what fails for all in the same words, so that it does not bury everything else. */
function openRepeats(thing: string) {
  let last: string | undefined;
  let inRow = 0;
  const end = (): string => {
    const more = inRow - mostRepeats;
    inRow = 0;
    return more > 0 ? `         and ${plural(more, `more ${thing}`)} with this error\n` : '';
  };
  return {
    end,
    fold: (step: ShownStep): ShownStep => {
      if (!step.isNews) return step;
      const before = step.error === undefined || step.error !== last ? end() : '';
      last = step.error;
      inRow += 1;
      return { ...step, lines: inRow > mostRepeats && last !== undefined ? '' : `${before}${step.lines}` };
    },
  };
}

interface Shown extends Omit<ShownProgress, 'recall'> {
  tell: (line: string) => void;
}

function plainLines(terminal: Terminal, counts: Counts, { nowMs }: ProgressOptions): Shown {
  const news = openNews();
  let toldMs = nowMs();
  let toldTenths = 0;
  return {
    step: (step) => {
      counts.add(step);
      if (step.total <= mostLines) return terminal.writeError(step.lines);
      const tenths = Math.floor((step.done * 10) / step.total);
      const isDue = tenths > toldTenths || nowMs() - toldMs >= plainEveryMs;
      if (isDue) [toldMs, toldTenths] = [nowMs(), tenths];
      terminal.writeError(`${news.linesOf(step)}${isDue ? `${counts.parts().join('  ')}\n` : ''}`);
    },
    tell: (line) => terminal.writeError(line),
    end: () => undefined,
  };
}

function movingLine(terminal: Terminal, counts: Counts, { nowMs }: ProgressOptions): Shown {
  const erase = '\r\u001B[2K';
  const news = openNews();
  let drawnMs = Number.NEGATIVE_INFINITY;
  const draw = (kept: string): void => {
    drawnMs = nowMs();
    terminal.writeError(`${erase}${kept}${fitted(counts.parts(), terminal.columns - 1)}`);
  };
  // The time that is left goes down although nothing ends.
  const clock = setInterval(() => draw(''), redrawEveryMs).unref();
  return {
    step: (step) => {
      counts.add(step);
      const kept = news.linesOf(step);
      if (kept !== '' || nowMs() - drawnMs >= drawAtMostEveryMs) draw(kept);
    },
    tell: draw,
    end: () => {
      clearInterval(clock);
      terminal.writeError(erase);
    },
  };
}

/** Lines that stay, up to a number that a person still reads. */
function openNews(): { linesOf: (step: ShownStep) => string } {
  let told = 0;
  return {
    linesOf: ({ lines, isNews }) => {
      if (!isNews || lines === '') return '';
      told += 1;
      if (told <= mostNews) return lines;
      return told === mostNews + 1 ? 'More of these are in the report.\n' : '';
    },
  };
}

interface Counts {
  add: (step: ShownStep) => void;
  recall: ShownProgress['recall'];
  /** What there is to say, the most important first. */
  parts: () => string[];
}

function openCounts({ nowMs, signal, words = usualWords }: ProgressOptions): Counts {
  const startMs = nowMs();
  const counts = { passed: 0, failed: 0, error: 0, skipped: 0 };
  let [done, total, before, costUsd] = [0, 0, 0, 0];
  return {
    recall: (earlier) => {
      counts.passed += earlier.passed;
      counts.failed += earlier.failed;
      counts.error += earlier.error;
      costUsd += earlier.costUsd;
    },
    add: (step) => {
      if (total === 0) before = step.done - 1;
      // A further round has a total of its own.
      if (step.done < done) before = 0;
      [done, total] = [step.done, step.total];
      counts[step.state] += 1;
      costUsd += step.costUsd ?? 0;
    },
    parts: () => {
      if (total === 0) return ['Starting'];
      const judged = counts.passed + counts.failed + counts.error;
      return [
        `${done}/${total} done`,
        ...(judged === 0 ? [] : [`${formatRate((counts.passed / judged) * 100)} ${words.passed}`]),
        ...(costUsd > 0 ? [formatUsd(costUsd)] : []),
        ...(signal.aborted ? [] : leftWords({ elapsedMs: nowMs() - startMs, done: done - before, left: total - done })),
        ...(counts.error === 0 ? [] : [plural(counts.error, 'error')]),
      ];
    },
  };
}

/** Nothing before there is something to reckon with. */
function leftWords({ elapsedMs, done, left }: { elapsedMs: number; done: number; left: number }): string[] {
  if (left <= 0 || done < 2 || elapsedMs < 1_000) return [];
  const leftMs = (elapsedMs / done) * left;
  return [`about ${formatMs(Math.max(1, Math.round(leftMs / 1_000)) * 1_000).replace('.0 s', ' s')} left`];
}

/** As many parts as there is room for, the first one in any case. */
function fitted(parts: readonly string[], width: number): string {
  let text = parts[0]?.slice(0, Math.max(0, width)) ?? '';
  for (const part of parts.slice(1)) if (text.length + part.length + 2 <= width) text += `  ${part}`;
  return text;
}
