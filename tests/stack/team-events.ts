import type { Edit } from './team.ts';

/** What happened in the team, oldest first. */
export interface TeamEvent {
  /** Before now. */
  hoursAgo: number;
  kind: 'push' | 'pull' | 'schedule';
  author: string;
  /** Of the pull request, or of the merged one. */
  title: string;
  number?: number;
  /** Which edits are in the files: those that were merged come with every later event. */
  edits?: readonly Edit[];
  merged?: readonly Edit[];
  /** How often these cases pass instead. */
  rates?: Readonly<Record<string, number>>;
  /** Cells in which the rates hold; absent: in all. */
  cell?: string;
  /** Nothing answered. */
  error?: string;
  /** It still runs: so many of its test runs have ended. */
  open?: number;
}

const friendlier: readonly Edit[] = [
  [
    'agents/support.agent.yaml',
    'Answer in one or two sentences, and only with what stands here.',
    'Answer warmly, and keep it short.',
  ],
  ['agents/support.agent.yaml', 'The shop is open Monday to Friday from 9 to 17.', 'The shop is open on weekdays.'],
  [
    'agents/support.agent.yaml',
    'Refunds arrive within 5 working days after the plant reached us.',
    'Refunds arrive soon.',
  ],
];
const german: readonly Edit[] = [
  [
    'agents/support.agent.yaml',
    'Never advise on health.',
    'Answer in the language of the customer. Never advise on health.',
  ],
];
const vouchers: readonly Edit[] = [
  ['agents/returns.agent.yaml', 'older ones get a voucher.', 'be generous with older ones.'],
];
const voucherFix: readonly Edit[] = [
  ['agents/returns.agent.yaml', 'older ones get a voucher.', 'older ones get a voucher of half the price.'],
];
const cause: readonly Edit[] = [
  [
    'agents/advice.agent.yaml',
    'Name the most likely cause first.',
    'Name the most likely cause first, then one thing to try.',
  ],
];

const greenhouse: readonly Edit[] = [
  ['agents/support.agent.yaml', 'from 9 to 17.', 'from 9 to 17, the greenhouse on Saturdays from 10 to 14.'],
];
const shorter: readonly Edit[] = [
  [
    'agents/returns.agent.yaml',
    'You handle returns. Look every order up before you promise anything.',
    'You handle returns. Look orders up first.',
  ],
];
const tidier: readonly Edit[] = [
  ['agents/support.agent.yaml', 'Large plants come by courier.', 'Plants above 1.5 metres come by courier.'],
];
const likely: readonly Edit[] = [
  ['agents/advice.agent.yaml', 'You advise on house plants.', 'You advise on house plants, briefly.'],
];
const askFirst: readonly Edit[] = [
  ['agents/returns.agent.yaml', 'You handle returns.', 'You handle returns. Ask for the order number first.'],
];
const keys: readonly Edit[] = [['proofmark.yaml', 'model: gpt-5-mini,', 'model: gpt-5-mini, temperature: 1,']];

const weak = { 'Answers in German': 0.3 } as const;
const nightly = (hoursAgo: number, rates: Readonly<Record<string, number>> = {}): TeamEvent => ({
  ...{ hoursAgo, kind: 'schedule', author: 'scheduler', title: 'Nightly' },
  rates,
});

export const teamEvents: readonly TeamEvent[] = [
  { hoursAgo: 500, kind: 'push', author: 'olivia', title: 'Bring the agents into the repository', rates: weak },
  nightly(486, weak),
  {
    hoursAgo: 476,
    kind: 'pull',
    number: 31,
    author: 'ben',
    title: 'Tidy the prompt of the support desk',
    edits: tidier,
    rates: weak,
  },
  nightly(462, weak),
  {
    hoursAgo: 451,
    kind: 'pull',
    number: 32,
    author: 'mei',
    title: 'Answer in the language of the customer',
    edits: german,
  },
  { hoursAgo: 446, kind: 'push', author: 'mei', title: 'Answer in the language of the customer (#32)', merged: german },
  nightly(438),
  nightly(414),
  {
    hoursAgo: 402,
    kind: 'pull',
    number: 33,
    author: 'tomasz',
    title: 'Be generous with late returns',
    edits: vouchers,
    rates: { 'Return too late': 0, 'Refund without proof': 0.4 },
  },
  nightly(390),
  {
    hoursAgo: 379,
    kind: 'pull',
    number: 33,
    author: 'tomasz',
    title: 'Be generous with late returns',
    edits: voucherFix,
  },
  { hoursAgo: 377, kind: 'push', author: 'tomasz', title: 'Say how much a voucher is worth (#33)', merged: voucherFix },
  nightly(342),
  nightly(318),
  {
    hoursAgo: 300,
    kind: 'pull',
    number: 34,
    author: 'olivia',
    title: 'Rotate the key of the models',
    edits: keys,
    error: 'The provider at api.openai.com answered 401 Incorrect API key provided',
  },
  nightly(294),
  {
    hoursAgo: 281,
    kind: 'pull',
    number: 35,
    author: 'ben',
    title: 'Name one thing to try',
    edits: cause,
    rates: { 'Poisonous plants': 0.5, Pets: 0.5 },
    cell: 'llama-4',
  },
  nightly(270),
  { hoursAgo: 262, kind: 'push', author: 'ben', title: 'Name one thing to try (#35)', merged: cause },
  nightly(246),
  nightly(222, { 'Balcony in winter': 0.5, Pests: 0.5 }),
  nightly(198),
  {
    hoursAgo: 180,
    kind: 'pull',
    number: 36,
    author: 'mei',
    title: 'Mention the greenhouse on Saturdays',
    edits: greenhouse,
    rates: { 'Angry customer': 0.34 },
  },
  nightly(174),
  nightly(150),
  nightly(126),
  {
    hoursAgo: 110,
    kind: 'pull',
    number: 37,
    author: 'tomasz',
    title: 'Cut the prompt of the returns agent',
    edits: shorter,
    rates: { 'Damaged parcel': 0.67 },
  },
  nightly(102),
  nightly(78),
  nightly(54),
  {
    hoursAgo: 32,
    kind: 'pull',
    number: 38,
    author: 'ben',
    title: 'Compare three models for advice',
    edits: likely,
    rates: { Pests: 0, 'Dark corner': 0 },
    cell: 'llama-4',
  },
  nightly(30),
  nightly(6, { 'Dark corner': 0, Repotting: 0.5 }),
  {
    hoursAgo: 3,
    kind: 'pull',
    number: 39,
    author: 'olivia',
    title: 'Make the agent friendlier',
    edits: friendlier,
    rates: { 'Opening hours': 0, 'Refund time': 0, 'Dead plant': 0.67 },
  },
  {
    hoursAgo: 0.05,
    kind: 'pull',
    number: 40,
    author: 'mei',
    title: 'Ask for the order number first',
    edits: askFirst,
    open: 6,
  },
];
