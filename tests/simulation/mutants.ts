import { productRules, type Rules } from './rules.ts';

const { applyHandBack, decideEnd, handBack, isClaimedBy, passFence, stanceOf } = productRules;

/** The product with one guard taken away each, and the promise that breaks without it. */
export const mutants: readonly { guard: string; breaks: RegExp; without: Partial<Rules> }[] = [
  {
    guard: 'the attempt fence',
    breaks: /P5: the row of/,
    // Whoever once held an attempt may still record it.
    without: {
      passFence: (chunk, sender, goesOn) =>
        passFence({ ...chunk, attempt: sender.attempt, sessionId: sender.sessionId, state: 'leased' }, sender, goesOn),
    },
  },
  { guard: 'the owner of a session', breaks: /P5: a forged result/, without: { knowsOwners: false } },
  {
    guard: 'the list of holders',
    breaks: /P5: a forged result/,
    without: {
      passFence: (chunk, sender, goesOn) =>
        passFence(
          {
            ...chunk,
            sessionId: sender.sessionId,
            holders: Array.from({ length: sender.attempt }, () => sender.sessionId),
          },
          { ...sender },
          goesOn,
        ),
    },
  },
  {
    guard: 'the end that the fence looks at',
    breaks: /P3|P7/,
    without: { passFence: (chunk, sender) => passFence(chunk, sender, true) },
  },
  {
    guard: 'the end that a claim looks at',
    breaks: /P7/,
    without: { mayClaim: (chunk, claimant) => productRules.mayClaim(chunk, { ...claimant, goesOn: true }) },
  },
  {
    guard: 'one row for each test run',
    breaks: /P3|P5/,
    without: {
      hasUniqueRows: false,
      passFence: (chunk, sender, goesOn) => passFence({ ...chunk, settled: 0n }, sender, goesOn),
    },
  },
  { guard: 'the idempotency key', breaks: /P8/, without: { knowsKeys: false } },
  { guard: 'the reaper', breaks: /P2/, without: { reaps: false } },
  { guard: 'committing before acknowledging', breaks: /L3/, without: { commitsFirst: false } },
  {
    guard: 'the claim id',
    breaks: /P12/,
    without: { isClaimedBy: (chunk, { sessionId }) => isClaimedBy(chunk, { sessionId, claimId: chunk.claimId ?? '' }) },
  },
  {
    guard: 'the release of what a session does not name',
    breaks: /P2/,
    without: { missedBeforeRelease: Number.POSITIVE_INFINITY },
  },
  { guard: 'the republisher', breaks: /P2/, without: { republishes: false } },
  { guard: 'the deadline of a run', breaks: /P2/, without: { closesOverdue: false } },
  { guard: 'somebody who goes on writing what was decided', breaks: /P2/, without: { goesOnWriting: false } },
  { guard: 'the patience after an outage of ours', breaks: /P6/, without: { hadOutage: () => false } },
  {
    guard: 'the fence of a runner that hears nothing',
    breaks: /P6: .* begins|P7/,
    without: { stanceOf: () => 'works' },
  },
  {
    guard: 'a runner that was cut off and hears nothing but that the ledger is down',
    breaks: /P7/,
    without: { endsSilence: () => true },
  },
  {
    guard: 'giving up after a lease without an answer',
    breaks: /P7/,
    without: { stanceOf: (silence) => (stanceOf(silence) === 'gives_up' ? 'works' : stanceOf(silence)) },
  },
  {
    guard: 'giving up what was lost with three runners',
    breaks: /P2|P6/,
    without: {
      isPoison: () => false,
      mayClaim: (chunk, who) => productRules.mayClaim({ ...chunk, crashCount: 0 }, who),
    },
  },
  {
    guard: 'attempt numbers that go on in a new chunk',
    breaks: /P5/,
    without: {
      applyHandBack: (chunk, back) => {
        const { parts, ...rest } = applyHandBack(chunk, back);
        return { ...rest, parts: parts.map((part) => ({ ...part, attempt: 0, holders: [] })) };
      },
    },
  },
  {
    guard: 'settling what went back in parts',
    breaks: /P3/,
    without: { applyHandBack: (chunk, back) => ({ ...applyHandBack(chunk, back), chunk }) },
  },
  {
    guard: 'the difference between a crash and an end in good order',
    breaks: /P6: .* was given up/,
    without: {
      handBack: (chunk, { untouched, crashed }) =>
        handBack(chunk, { untouched: [], crashed: [...untouched, ...crashed], counts: true }),
    },
  },
  {
    guard: 'the first decision about an end',
    breaks: /P3|P6/,
    without: { decideEnd: (suiteRun, ending) => decideEnd({ ...suiteRun, ending: null }, ending) },
  },
  {
    guard: 'superseded results being told apart from recorded ones',
    breaks: /P4/,
    without: {
      confirmPlaces: (chunk, ref) => {
        const { recorded, superseded } = productRules.confirmPlaces(chunk, ref);
        return { recorded: [...recorded, ...superseded], superseded: [] };
      },
    },
  },
  { guard: 'a runner dropping what is void', breaks: /P7/, without: { isVoid: () => false } },
];
