import { describe, expect, test } from 'vitest';
import { incompleteWords, skipWords } from './incomplete-report.ts';
import { renderMarkdown } from './report-markdown.ts';
import { sampleReport } from './sample-test-run.fixture.ts';

describe('a report of a run that was cut short', () => {
  test.each([
    [['interrupted', 'interrupted'], '2 of 3 tests were not run, because the run was interrupted'],
    [['budget'], '1 of 2 tests was not run, because the budget of the run was spent'],
    [['cancelled', 'draft'], '1 of 2 tests was not run, because the run was cancelled'],
    [
      ['cancelled', 'budget'],
      '2 of 3 tests were not run, because the run was cancelled and the budget of the run was spent',
    ],
    [['draft', 'early_stop', 'disabled'], null],
    [[], null],
  ])('with tests skipped for %j says: %s', (reasons, words) => {
    const { results } = reportWith([]);
    expect(incompleteWords({ results, skipped: reasons.map((reason) => ({ test_name: 'x', reason })) })).toBe(words);
  });

  test('says so beside the rate, which alone would look green, and names the reason of each test', () => {
    const text = renderMarkdown(reportWith(['interrupted', 'early_stop']));
    expect(text).toContain(
      '2 skipped  \n**Not complete**: 1 of 2 tests was not run, because the run was interrupted  \n',
    );
    expect(text).toContain('- Skipped 1: the run was interrupted\n- Skipped 2: the verdict was certain without it\n');
    expect(renderMarkdown(reportWith(['early_stop']))).not.toContain('Not complete');
  });

  test('keeps a reason that it does not know', () => {
    expect(skipWords({ reason: 'constructor' })).toBe('constructor');
  });
});

function reportWith(reasons: readonly string[]) {
  return sampleReport(
    [{}],
    'Support agent',
    reasons.map((reason, index) => ({ test_name: `Skipped ${index + 1}`, reason })),
  );
}
