import { expect, test } from 'vitest';
import { openShopWorld } from './shop-world.ts';

const prices = 'docs/prices.csv';
const path = 'evals/prices.suite.yaml';
const list = (price: string) => `item,price\ntea,${price}\n`;

/** A clerk who reads the price out of the list, or one who cannot read. */
const suite = ({ expected, reads = '3.50|4.00' }: { expected: string; reads?: string }) => `name: Prices
agent:
  name: Clerk
  instructions: Answer from the documents.
  driver:
    type: scripted
    replies:
${reads
  .split('|')
  .map((price) => `      - { contains: "tea | ${price}", reply: Tea costs ${price} }`)
  .join('\n')}
      - { reply: I cannot say }
alert_threshold_percent: 60
cases:
${['Tea', 'Green tea', 'Black tea']
  .map(
    (name) => `  - name: ${name}
    input: What does tea cost?
    files: [{ path: ${prices}, type: csv }]
    expected_behavior: { checks: [{ type: contains_phrases, phrases: ["${expected}"] }] }`,
  )
  .join('\n')}
`;
const patient = { timeout: 300_000 };

test.each([
  ['in the job', false],
  ['on a coordinator', true],
])(
  'both agents of a comparison %s read the documents of the head, so that a changed one tells them apart all the same',
  patient,
  async (_, withCoordinator) => {
    await using world = await openShopWorld({ withCoordinator });
    const compare = async (changes: Record<string, string>) => {
      const shop = await world.openShop({
        files: { [path]: suite({ expected: '3.50' }), [prices]: list('3.50') },
        changes,
      });
      const { outputs, log } = await world.gate(shop, { inputs: { suites: 'evals/prices*', baseline: 'run' } });
      return { outputs, log };
    };
    const edited = { [prices]: list('4.00'), [path]: suite({ expected: '4.00' }) };
    const same = await compare(edited);
    expect(same.outputs, same.log).toMatchObject({ 'baseline-pass-rate': '100.0', 'pass-rate': '100.0' });
    expect(same.outputs.verdict, same.log).not.toMatch(/regressed|no-baseline/);

    // The head's own rate, although as many test runs of the base passed beside it.
    const worse = await compare({ ...edited, [path]: suite({ expected: '4.00', reads: '3.50' }) });
    expect(worse.outputs, worse.log).toMatchObject({
      'baseline-pass-rate': '100.0',
      'pass-rate': '0.0',
      verdict: 'regressed',
    });

    // A document that breaks the case breaks it for both: nobody got worse.
    const broken = await compare({ [prices]: list('4.00') });
    expect(broken.outputs, broken.log).toMatchObject({ 'baseline-pass-rate': '0.0', 'pass-rate': '0.0' });
    expect(broken.outputs.verdict, broken.log).not.toBe('regressed');
  },
);
