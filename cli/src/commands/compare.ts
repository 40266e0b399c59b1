import { resolve } from 'node:path';
import type { Verdict } from '@proofmark/contracts/verdict';
import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import {
  type ComparedResults,
  type ComparedSuiteRun,
  compareResults,
  inCell,
} from '@proofmark/embedded/compare-results';
import { type ResultPairs, readBothSides } from '@proofmark/embedded/stored-results';
import { z } from 'zod';
import { type Command, done, wrongUsage } from '../arguments/command.ts';
import { type ExitCode, exitCodes } from '../arguments/exit-code.ts';
import { type KeptRun, keptRun } from '../arguments/kept-run.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { comparisonText, differentCases } from '../output/comparison-text.ts';
import { verdictAnswer } from '../run/tell-run.ts';

const Options = z.object({
  json: z.boolean().default(false),
  'base-cell': z.string().optional(),
  'head-cell': z.string().optional(),
  results: z.string().min(1, 'must not be empty').default('results'),
});

export const compare: Command = {
  synopsis: 'BASE HEAD [--base-cell CELL] [--head-cell CELL] [--results DIR] [--json]',
  optionHelp: [
    [
      'BASE, HEAD',
      'the id of a run, its folder, RUN/03 for its third suite run, RUN/03#2 for a repetition, `last`; or a report file',
    ],
    [
      '--base-cell, --head-cell',
      'one cell of a matrix on that side, such as AIConfiguration=gpt-4o; BASE may be HEAD then',
    ],
    ['--results DIR', 'where results are kept, ./results by default'],
    ['--json', 'print the comparison as JSON, with every case that differs'],
  ],
  options: {
    json: { type: 'boolean' },
    'base-cell': { type: 'string' },
    'head-cell': { type: 'string' },
    results: { type: 'string' },
  },
  run: async ({ values, positionals }, { cwd, terminal }) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    const [base, head, ...others] = positionals;
    if (base === undefined || head === undefined || others.length > 0) {
      return wrongUsage('Name two results: what to compare with, then what is judged.');
    }
    const place = { cwd, results: options.options.results };
    const named = (typed: string): KeptRun => keptRun(typed, place) ?? { path: resolve(cwd, typed), repetition: null };
    const sides = await readBothSides(named(base), named(head));
    if (!sides.ok) return wrongUsage(sides.message);
    const chosen = chooseCells(sides, options.options);
    if (!chosen.ok) return wrongUsage(chosen.message);
    const results = compareResults(chosen.base, chosen.head);
    const code = exitCodeOf(results);
    if (options.options.json) terminal.write(renderAnswer(answerOf(results, code)));
    else terminal.write(comparisonText(results, { terminal, base }));
    return done(code);
  },
};

type Sides = Pick<Extract<ResultPairs, { ok: true }>, 'base' | 'head'>;

function chooseCells(
  { base, head }: Sides,
  { 'base-cell': baseCell, 'head-cell': headCell }: z.infer<typeof Options>,
): ({ ok: true } & Sides) | { ok: false; message: string } {
  const chosen = { base: inCell(base, baseCell), head: inCell(head, headCell) };
  if (chosen.base.length === 0) return { ok: false, message: noSuchCell('--base-cell', baseCell, base) };
  if (chosen.head.length === 0) return { ok: false, message: noSuchCell('--head-cell', headCell, head) };
  return { ok: true, ...chosen };
}

function noSuchCell(option: string, cell = '', of: Sides['base']): string {
  const cells = [...new Set(of.map(({ cellKey }) => cellKey))].map((key) => (key === '' ? 'no matrix' : key));
  return `${option}: the results have no cell '${cell}', but ${cells.join(' and ')}`;
}

/** 1 when the gate refuses any of them, 3 when nothing or not everything could be compared. */
function exitCodeOf({ compared }: ComparedResults): ExitCode {
  if (compared.some(({ verdict }) => verdict.conclusion === 'failure' && verdict.word !== 'error')) {
    return exitCodes.refusedByGate;
  }
  return compared.length === 0 || compared.some(({ verdict }) => isUnknown(verdict))
    ? exitCodes.notJudged
    : exitCodes.fine;
}

const isUnknown = ({ word }: Pick<Verdict, 'word'>): boolean => ['error', 'insufficient', 'no-baseline'].includes(word);

function answerOf({ compared, onlyBase, onlyHead }: ComparedResults, code: ExitCode) {
  return { exit_code: code, compared: compared.map(suiteRunAnswer), only_base: onlyBase, only_head: onlyHead };
}

function suiteRunAnswer({ suiteName, cellKey, baseCellKey, verdict, answers }: ComparedSuiteRun) {
  return {
    suite: suiteName,
    cell: cellKey,
    base_cell: baseCellKey,
    verdict: verdictAnswer(verdict),
    latency_ms: verdict.measures?.latencyMs ?? null,
    tokens: verdict.measures?.tokens ?? null,
    cost_usd: verdict.measures?.costUsd ?? null,
    changed_answers: [...answers]
      .filter(([, { answerChanged, toolsChanged }]) => answerChanged || toolsChanged)
      .map(([caseName, { base, head, answerChanged, toolsChanged }]) => ({
        case: caseName,
        answer_changed: answerChanged,
        tools_changed: toolsChanged,
        base_tools: base?.tools ?? [],
        head_tools: head?.tools ?? [],
      })),
    cases: differentCases(verdict).map(({ caseName, base, head, notComparable, changedParts, p, adjustedP }) => {
      const found = answers.get(caseName);
      return {
        case: caseName,
        base: base && { passed: base.passed, scored: base.passed + base.failed },
        head: head && { passed: head.passed, scored: head.passed + head.failed },
        not_comparable: notComparable,
        changed: changedParts,
        p,
        adjusted_p: adjustedP,
        base_answer: found?.base?.answer ?? null,
        head_answer: found?.head?.answer ?? null,
        base_tools: found?.base?.tools ?? [],
        head_tools: found?.head?.tools ?? [],
      };
    }),
  };
}
