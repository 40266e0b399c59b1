import type { VerdictSettings } from '@proofmark/contracts/verdict';
import { describe, expect, test } from 'vitest';
import type { Trial } from '../verdict/count-trials.ts';
import { settings, trials } from '../verdict/sample-trials.fixture.ts';
import { decide } from '../verdict/sample-verdict.fixture.ts';
import { decideAlerts, type OpenIncident } from './decide-alerts.ts';
import { type AlertSubject, describeAlert } from './describe-alert.ts';

/** Ten cases, of which these do not pass. */
const side = (failed: readonly number[], status: Parameters<typeof trials>[1] = 'fail') =>
  Array.from({ length: 10 }, (_, at) => trials(`case ${at}`, failed.includes(at) ? status : 'pass', 1)).flat();

const all = Array.from({ length: 10 }, (_, at) => at);
const verdictOf = (head: Trial[], previous: Trial[] | null, given: Partial<VerdictSettings> = {}) =>
  decide({ head, base: null, ...(previous && { previous }), settings: settings({}, given) });

const fall: OpenIncident = {
  ...{ id: 'a', kind: 'regression', createdAt: '2026-01-01T00:00:00.000Z' },
  facts: { passRate: 70, passRateBefore: 100, dropPoints: 30, cases: ['case 1'], caseCount: 1 },
};

describe('what people are told of a verdict', () => {
  test('S2-12 a fall below the threshold, once while it lasts', () => {
    const verdict = verdictOf(side([0, 1, 2]), side([]));
    expect(decideAlerts(verdict, [])).toEqual([
      {
        kind: 'regression',
        facts: {
          ...{ passRate: 70, passRateBefore: 100, dropPoints: 30 },
          ...{ cases: ['case 0', 'case 1', 'case 2'], caseCount: 3 },
        },
        resolves: null,
      },
    ]);
    expect(decideAlerts(verdict, [fall])).toEqual([]);
  });

  test('nothing where the suite asks for no alerts', () => {
    expect(decideAlerts(verdictOf(side([0, 1, 2]), side([]), { alertOnRegression: false }), [])).toEqual([]);
  });

  test('the run after a fall is as bad and looks unchanged: nothing has recovered', () => {
    expect(decideAlerts(verdictOf(side([0, 1, 2]), side([0, 1, 2])), [fall])).toEqual([]);
  });

  test('a rate that is back while a case of the fall still fails is no recovery', () => {
    expect(decideAlerts(verdictOf(side([1]), side([0, 1, 2])), [fall])).toEqual([]);
  });

  test('it has recovered when the rate is back within the threshold and the cases of the fall pass', () => {
    const recovered = { kind: 'recovered', facts: { passRate: 100, since: fall.createdAt }, resolves: fall };
    expect(decideAlerts(verdictOf(side([]), side([0, 1, 2])), [fall])).toEqual([recovered]);
    // One of ten is ten points: the fall would be told again.
    const elsewhere = { ...fall, facts: { ...fall.facts, cases: [], caseCount: 0 } };
    expect(decideAlerts(verdictOf(side([9]), side([9])), [elsewhere])).toEqual([]);
  });

  test('nothing that was executed is told by itself, once, and is over when something was', () => {
    const dead = verdictOf(side(all, 'judge-error'), side([]));
    const [first, ...others] = decideAlerts(dead, []);
    expect([first?.kind, others]).toEqual(['nothing_executed', []]);
    const silence: OpenIncident = { ...fall, kind: 'nothing_executed', facts: {} };
    expect(decideAlerts(dead, [silence])).toEqual([]);
    expect(decideAlerts(verdictOf(side([]), side([])), [silence])).toMatchObject([
      { kind: 'recovered', resolves: { kind: 'nothing_executed' } },
    ]);
  });

  test('what was left out because the money was spent', () => {
    const verdict = { ...verdictOf(side([]), null), cutTestRuns: 2 };
    expect(decideAlerts(verdict, [])).toEqual([{ kind: 'budget', facts: { testRuns: 2 }, resolves: null }]);
  });

  test('an agent that only fails to answer is worse, and was executed', () => {
    expect(decideAlerts(verdictOf(side(all, 'agent-error'), side([])), [])).toMatchObject([{ kind: 'regression' }]);
  });
});

describe('its words', () => {
  const subject = { suite: 'Support', cellKey: 'Temperature=0', facts: {} };
  test.for<[Partial<AlertSubject> & Pick<AlertSubject, 'kind'>, string]>([
    [{ kind: 'regression', facts: fall.facts }, 'Support (Temperature=0): pass rate fell by 30.0 points to 70%'],
    [{ kind: 'regression', facts: { dropPoints: 0, cases: ['a', 'b'], caseCount: 2 } }, '2 cases began to fail'],
    [{ kind: 'newly_flaky', facts: { cases: ['a'], caseCount: 1 } }, '1 case became flaky'],
    [{ kind: 'budget', facts: { testRuns: 3 } }, 'the budget was reached'],
    [{ kind: 'nothing_executed', facts: { reason: 'no runner' } }, 'nothing was executed'],
    [{ kind: 'recovered', facts: { passRate: 95.5 } }, 'it works again, pass rate 95.5%'],
    [{ kind: 'test' }, 'a test of this channel'],
  ])('%j', ([given, title]) => {
    expect(describeAlert({ ...subject, ...given }).title).toContain(title);
  });

  test('cases are named, as many as there is room for', () => {
    const facts = { cases: ['one', 'two'], caseCount: 25 };
    expect(describeAlert({ ...subject, kind: 'regression', facts }).lines).toEqual([
      'Began to fail: one, two and 23 more',
    ]);
  });

  test('a hostile name is one bounded line', () => {
    const { title } = describeAlert({ ...subject, kind: 'budget', suite: `a\r\nBcc: x@y\u{202e}${'b'.repeat(2000)}` });
    expect(title).not.toMatch(/[\r\n\u{202e}]/u);
    expect(title.length).toBeLessThan(400);
  });
});
