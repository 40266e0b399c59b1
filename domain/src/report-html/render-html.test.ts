import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5';
import { describe, expect, test } from 'vitest';
import { sampleReport } from '../report/sample-test-run.fixture.ts';
import { visibleText } from '../text/visible-text.ts';
import { pageStyle } from './page-style.ts';
import { renderHtml } from './render-html.ts';
import { longReport, samplePage } from './sample-page.fixture.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

const childrenOf = (node: Node): Node[] => ('childNodes' in node ? node.childNodes : []);

function elementsOf(node: Node): Element[] {
  const below = childrenOf(node).flatMap(elementsOf);
  return defaultTreeAdapter.isElementNode(node) ? [node, ...below] : below;
}

function textOf(node: Node): string {
  return defaultTreeAdapter.isTextNode(node) ? node.value : childrenOf(node).map(textOf).join('');
}

const attribute = (element: Element, name: string): string | undefined =>
  element.attrs.find((one) => one.name === name)?.value;
const named = (elements: readonly Element[], tag: string): Element[] =>
  elements.filter(({ tagName }) => tagName === tag);
/** Every element with its attributes: what a page is apart from its texts. */
const outlineOf = (markup: string): string[] =>
  elementsOf(parse(markup)).map(
    ({ tagName, attrs }) => `${tagName} ${attrs.map(({ name, value }) => `${name}=${value}`).join(' ')}`,
  );

const attacks = [
  '</script><script>alert(1)</script>',
  '</pre></details></li><img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' autofocus onfocus=alert(1) x='",
  '</title><base href="https://evil.example"><style>*{display:none}</style>',
  '<!-- --><![CDATA[ ]]><?php ?>',
  '&lt;script&gt; &#60; &amp;',
  'a\u{202E}b\u{0}c\u{7}\u{1B}[2Jd\u{200B}e\u{E0041}f\u{D800}g\r\nh',
  '=HYPERLINK("x") | a | ``` # h',
  'javascript:alert(1) https://evil.example/?q=1',
  '{{expected}} <%= 1 %>',
];

describe('O7 a page is safe against what others wrote', () => {
  const ordinary = outlineOf(renderHtml([samplePage('x')]));

  test.each(attacks)('%j adds no element and no attribute', (text) => {
    expect(outlineOf(renderHtml([samplePage(text)]))).toEqual(ordinary);
  });

  test('nor does any other text', () => {
    const fragment = fc.oneof(
      fc.constantFrom('<', '>', '"', "'", '&', '/', '=', '`', '<a ', '<!--', '-->', ']]>', '</pre>', '</style>', '\0'),
      fc.string({ unit: 'binary', maxLength: 6 }),
    );
    const text = fc.array(fragment, { minLength: 1, maxLength: 8 }).map((parts) => `x${parts.join('')}`);
    fc.assert(
      fc.property(text, (hostile) => {
        expect(outlineOf(renderHtml([samplePage(hostile)]))).toEqual(ordinary);
      }),
      { numRuns: 60 },
    );
  });

  test.each(attacks)('%j is shown as it is, with what is invisible made visible', (text) => {
    const blocks = named(elementsOf(parse(renderHtml([samplePage(text)]))), 'pre').map(textOf);
    expect(blocks.slice(0, 3)).toEqual([visibleText(text), visibleText(text), visibleText(text)]);
  });

  test('a line break at the beginning of an answer is kept', () => {
    const blocks = named(elementsOf(parse(renderHtml([samplePage('\n\nanswer')]))), 'pre').map(textOf);
    expect(blocks[1]).toBe('\n\nanswer');
  });

  test('keys are masked, also where a text is cut', () => {
    const key = `ghp_${'a'.repeat(36)}`;
    const page = renderHtml([samplePage(`${'x '.repeat(9_990)}${key} ${key}`)]);
    expect(page.includes('ghp_')).toBe(false);
  });

  test('a line of a million characters is cut, and the cut is counted', () => {
    const page = renderHtml([samplePage('A'.repeat(1_000_000))]);
    expect(page.length).toBeLessThan(300_000);
    expect(page.includes('… 980000 more characters')).toBe(true);
  });
});

describe('a page needs nothing but itself', () => {
  const page = renderHtml([samplePage('x'), samplePage('y', 'Temperature=1')]);
  const elements = elementsOf(parse(page));

  test('no script, no frame, no picture, no link that leaves it', () => {
    const tags = new Set(elements.map(({ tagName }) => tagName));
    for (const tag of ['script', 'link', 'iframe', 'object', 'embed', 'img', 'form', 'base', 'audio', 'video']) {
      expect(tags.has(tag)).toBe(false);
    }
    const attrs = elements.flatMap((element) => element.attrs);
    expect(
      attrs.filter(({ name }) => name.startsWith('on') || ['src', 'style', 'srcset', 'action'].includes(name)),
    ).toEqual([]);
    expect(attrs.filter(({ name, value }) => name === 'href' && !value.startsWith('#'))).toEqual([]);
    expect(pageStyle).not.toMatch(/url\(|@import|@font-face/);
  });

  test('its policy allows its own style and nothing else', async () => {
    const [style, ...others] = named(elements, 'style');
    const policy = named(elements, 'meta').find((meta) => attribute(meta, 'http-equiv') === 'Content-Security-Policy');
    const bytes = new TextEncoder().encode(style === undefined ? '' : textOf(style));
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('base64');
    expect(others).toEqual([]);
    expect(policy && attribute(policy, 'content')).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    );
  });

  test('every link inside it leads somewhere, and no id occurs twice', () => {
    const ids = elements.flatMap((element) => attribute(element, 'id') ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const targets = elements.flatMap((element) => [
      attribute(element, 'href')?.slice(1),
      attribute(element, 'for'),
      attribute(element, 'aria-labelledby'),
    ]);
    for (const target of targets) if (target !== undefined) expect(ids).toContain(target);
  });

  test('it parses without a correction', () => {
    const codes: string[] = [];
    parse(page, { onParseError: ({ code }) => codes.push(code) });
    expect(codes).toEqual([]);
  });
});

describe('a page for everybody', () => {
  const page = renderHtml([samplePage('x'), samplePage('y', 'Temperature=1')]);
  const elements = elementsOf(parse(page));

  test('it has a language, a title, landmarks and headings in order', () => {
    expect(attribute(named(elements, 'html')[0] as Element, 'lang')).toBe('en'); // The page begins with it.
    expect(textOf(named(elements, 'title')[0] as Element)).toBe('✗ 2 suite runs: 0 of 2 passed'); // There is one.
    for (const tag of ['header', 'main', 'footer', 'h1']) expect(named(elements, tag)).toHaveLength(1);
    const levels = elements.filter(({ tagName }) => /^h\d$/.test(tagName)).map(({ tagName }) => Number(tagName[1]));
    for (const [index, level] of levels.entries()) expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1);
  });

  test('pictures have words, tables have headings', () => {
    for (const svg of named(elements, 'svg')) {
      expect(attribute(svg, 'aria-hidden') ?? attribute(svg, 'aria-label')).toBeTruthy();
    }
    for (const cell of named(elements, 'th')) expect(attribute(cell, 'scope')).toMatch(/^(row|col)$/);
  });

  test('the filter has a labelled choice per state, and the style obeys it', () => {
    const radios = named(elements, 'input').map((input) => attribute(input, 'id'));
    expect(radios).toEqual(['show-all', 'show-failed', 'show-error', 'show-passed', 'show-skipped']);
    expect(named(elements, 'label').map((label) => attribute(label, 'for'))).toEqual(radios);
    for (const state of ['failed', 'error', 'passed', 'skipped']) {
      expect(pageStyle).toContain(`.runs:has(#show-${state}:checked) .run:not(.${state})`);
    }
    const runs = elements.filter((element) => attribute(element, 'class')?.startsWith('run '));
    expect(runs.map((run) => attribute(run, 'class'))).toEqual([
      'run failed',
      'run skipped',
      'run failed',
      'run skipped',
    ]);
  });

  test.each(['light', 'dark'])('every text stands out from its ground, %s', (scheme) => {
    const [light = '', dark = ''] = pageStyle.split('@media (prefers-color-scheme: dark)');
    const colors = new Map(
      [...(scheme === 'light' ? light : dark).matchAll(/--([a-z-]+): (#[0-9a-f]{6})/g)].map(([, name, color]) => [
        name,
        color,
      ]),
    );
    const pairs = ['text', 'soft', 'link', 'passed', 'failed', 'error', 'skipped'].flatMap((ink) => [
      ...['ground', 'panel', 'inset'].map((ground) => [ink, ground] as const),
      ...(colors.has(`${ink}-ground`) ? [[ink, `${ink}-ground`] as const] : []),
    ]);
    for (const [ink, ground] of pairs) {
      expect({ ink, ground, ratio: contrast(colors.get(ink), colors.get(ground)) >= 4.5 }).toEqual({
        ink,
        ground,
        ratio: true,
      });
    }
  });
});

/** The contrast of two colours by WCAG 2. */
function contrast(one = '', other = ''): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

describe('what a page says', () => {
  test('the states are told apart and counted', () => {
    const report = sampleReport([
      {},
      { outcome: { status: 'failed', tools: { matched: false, problems: [] } } },
      { outcome: { status: 'error', errorMessage: 'Timeout after 30000ms', response: null } },
    ]);
    const page = renderHtml([{ report: { ...report, skipped: [{ test_name: 'Old', reason: 'draft' }] } }]);
    expect(page).toContain('aria-label="Pass rate 33.3%: 1 failed, 1 error, 1 passed, 1 skipped"');
    expect(page).toContain('Timeout after 30000ms');
    expect(page).toContain('draft');
    expect(page).not.toContain('not complete');
  });

  test('a page of a run that was cut short does not look green', () => {
    const skipped = [{ test_name: 'Later', reason: 'interrupted' }];
    const one = { report: { ...sampleReport(), skipped } };
    const notice = '<strong>This run is not complete.</strong> ';
    expect(renderHtml([one])).toContain(`${notice}1 of 2 tests was not run, because the run was interrupted.`);
    expect(renderHtml([one])).toContain('<title>… ');
    expect(renderHtml([one, one])).toMatch(
      /not complete\.<\/strong> <bdi>[^<]*<\/bdi>: 1 of 2 tests .*; <bdi>[^<]*<\/bdi>: 1 of/,
    );
  });

  test('cells of a matrix are held side by side, and a result says which cell it belongs to', () => {
    const at = (cell: string, status: 'passed' | 'failed') => {
      const report = sampleReport([{ outcome: { status, tools: { matched: status === 'passed', problems: [] } } }]);
      return { report: { ...report, environment: { suite: 'Hours', cell } } };
    };
    const elements = elementsOf(parse(renderHtml([at('Temperature=0', 'passed'), at('Temperature=1', 'failed')])));
    const matrix = named(elements, 'table').find((table) => attribute(table, 'class') === 'matrix');
    expect(matrix && textOf(matrix)).toBe(
      'Hours: passed test runs by case and cell, lowest firstCaseTemperature=0Temperature=1Business hours1/10/1',
    );
    expect(named(elements, 'h3').map(textOf)).toEqual([
      'Business hours Temperature=1',
      'Hours Temperature=0 1 of 1 passed',
      'Hours Temperature=1 0 of 1 passed',
    ]);
  });

  test('what did not pass comes first: why, what was asked, what the agent said and what the base said', () => {
    const wrong = { outcome: { status: 'failed' as const, response: 'Whenever you like.' } };
    const head = sampleReport([
      { name: 'Good' },
      { name: 'Half' },
      { name: 'Half', ...wrong },
      { name: 'Bad', ...wrong },
    ]);
    const base = { ...sampleReport([{ name: 'Bad', outcome: { response: 'From 9 to 17.' } }]) };
    const baseline = { report: { ...base, environment: { suite: head.agent_name, variant: 'baseline' } } };
    const reasons = new Map([[3, ['contains_phrases: "17" missing']]]);
    const page = renderHtml([baseline, { report: head, reasons }]);
    const elements = elementsOf(parse(page));
    const items = elements.filter((element) => attribute(element, 'class') === 'broken failed');
    expect(items.map((element) => textOf(element).replaceAll(/\s+/g, ' '))).toEqual([
      expect.stringMatching(
        /^Bad ?0 of 1 passedWhycontains_phrases: "17" missingAsked.*SaidWhenever you like\.Base saidFrom 9 to 17\.$/,
      ),
      expect.stringMatching(/^Half ?1 of 2 passedWhyAsked.*SaidWhenever you like\.$/),
    ]);
    expect(page).toContain('1 case passed every time.');
    // A link to what lies inside of a folded test run unfolds it.
    const links = items.flatMap((element) => named(elementsOf(element), 'a')).map((link) => attribute(link, 'href'));
    expect(links).toEqual(['#t1-4-all', '#t1-3-all']);
    expect(page.indexOf('What did not pass')).toBeLessThan(page.indexOf('>Test runs</h2>'));
  });

  test('the base stands apart and does not count', () => {
    const base = { ...sampleReport(), environment: { suite: 'Hours', variant: 'baseline' } };
    const page = renderHtml([{ report: base }, { report: sampleReport() }]);
    expect(page).toContain('aria-label="Pass rate 100%: 0 failed, 0 error, 1 passed, 0 skipped"');
    expect(page).toContain('<summary>Test runs of the base</summary>');
  });

  test('10,000 test runs fit: those that failed unfold, the others as far as there is room, and the page says so', () => {
    const page = renderHtml([{ report: longReport(10_000) }], { bodyUnits: 1_500_000, lines: 9_000 });
    expect(page.length).toBeLessThan(6_000_000);
    const failed = page.split('<li class="run failed"').slice(1);
    expect(failed).toHaveLength(1_000);
    expect(failed.every((item) => item.includes('<details>'))).toBe(true);
    expect(page).toMatch(/<strong>This page is not everything\.<\/strong> \d+ of 10000 test runs can be unfolded/);
    expect(page).toContain('1000 that passed are only counted');
  });
});

test('a simulated conversation says why it ended, how often it started over, and what a review has found', () => {
  const page = textOf(parse(renderHtml([samplePage('It said so.')])));
  expect(page).toContain('ended by the simulated user (gave up)');
  expect(page).toContain('simulated user: started over once: It said so.');
  expect(page).toContain(
    'simulated user: message 1, invented fact (critical): It said so. Right would be: It said so.',
  );
});

test('a cell has room for its words on a phone: a column is never as narrow as a letter', () => {
  const cells = ['Temperature=0', 'Temperature=1'].map((cell) => samplePage('Support', cell));
  const elements = elementsOf(parse(renderHtml(cells)));
  const places = elements.filter((element) => attribute(element, 'class') === 'place');
  expect(places.map(textOf)).toEqual(['Temperature=0', 'Temperature=1']);
  expect(pageStyle).toContain('.place { min-width: 9rem; }');
  expect(pageStyle).toContain('.matrix thead th + th { min-width: 9.5rem; }');
  const phone = pageStyle.slice(pageStyle.indexOf('@media (max-width: 40rem)'));
  expect(phone).toContain('.rates th, .rates .place { flex: 1 0 100%; }');
});
