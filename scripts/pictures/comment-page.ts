/** A comment as a page that looks like GitHub's: only what our comments are written with is understood. */
export function commentPage(markdown: string, opened: number): string {
  const blocks = markdown.replace(/^<!--.*-->\n/, '').split(/\n\n(?![^`]*```\n)/);
  const body = renderBlocks(fencesWhole(blocks));
  let left = opened;
  const unfolded = body.replaceAll('<details>', () => {
    left -= 1;
    return left >= 0 ? '<details open>' : '<details>';
  });
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>
<article><header><b>proofmark</b> <i>bot</i> commented now</header><div>${unfolded}</div></article>`;
}

/** Blank lines inside of a fence do not end it. */
function fencesWhole(blocks: readonly string[]): string[] {
  const whole: string[] = [];
  for (const block of blocks) {
    const last = whole.at(-1);
    const isOpen = last !== undefined && (last.match(/^`{3,}/gm) ?? []).length % 2 === 1;
    if (isOpen) whole.splice(-1, 1, `${last}\n\n${block}`);
    else whole.push(block);
  }
  return whole;
}

function renderBlocks(blocks: readonly string[]): string {
  return blocks.map((block) => renderBlock(block.trim())).join('\n');
}

function renderBlock(block: string): string {
  if (block === '' || block.startsWith('<!--')) return '';
  const fence = /^(`{3,})(\w+)\n([\s\S]*)\n\1$/.exec(block);
  if (fence !== null) return `<pre class="${fence[2]}">${colour(fence[2] ?? '', fence[3] ?? '')}</pre>`;
  if (block.startsWith('<details>'))
    return block.replace(/<summary>(.*)<\/summary>/, (_, title: string) => `<summary>${inline(title)}</summary>`);
  if (block.startsWith('</details>')) return block;
  if (block.startsWith('### ')) {
    const [title = '', ...rest] = block.split('\n');
    return `<h3>${inline(title.slice(4))}</h3>${rest.length === 0 ? '' : `<p>${inline(rest.join('<br>'))}</p>`}`;
  }
  if (block.startsWith('| ')) return table(block.split('\n'));
  return list(block) ?? `<p>${inline(block.replaceAll('\n', '<br>'))}</p>`;
}

function list(block: string): string | null {
  if (block.split('\n').every((line) => line.startsWith('- '))) {
    return `<ul>${block
      .split('\n')
      .map((line) => `<li>${inline(line.slice(2))}</li>`)
      .join('')}</ul>`;
  }
  return null;
}

function table([head = '', align = '', ...rows]: readonly string[]): string {
  const cells = (line: string) => line.replace(/^\| ?| ?\|$/g, '').split(/ ?\| ?/);
  const right = cells(align).map((one) => one.endsWith(':'));
  const row = (line: string, tag: string) =>
    `<tr>${cells(line)
      .map((cell, at) => `<${tag}${right[at] === true ? ' align="right"' : ''}>${inline(cell)}</${tag}>`)
      .join('')}</tr>`;
  return `<table>${row(head, 'th')}${rows.map((line) => row(line, 'td')).join('')}</table>`;
}

const asText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const inline = (text: string): string =>
  text
    .replaceAll(/`([^`]+)`/g, (_, code: string) => `<code>${asText(code)}</code>`)
    .replaceAll(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
    .replaceAll(/\[(.+?)\]\((\S+?)\)/g, '<a href="#">$1</a>');

function colour(info: string, text: string): string {
  if (info !== 'diff') return asText(text);
  const kinds = new Map([
    ['+', 'ins'],
    ['-', 'del'],
  ]);
  return text
    .split('\n')
    .map((line) => {
      const tag = kinds.get(line[0] ?? '') ?? 'span';
      return `<${tag}>${asText(line)}</${tag}>`;
    })
    .join('\n');
}

const style = `
:root { color-scheme: light dark; --text: #1f2328; --soft: #59636e; --line: #d1d9e0; --back: #fff; --shade: #f6f8fa; --link: #0969da; --code: #818b981f; --ins: #dafbe1; --inserted: #116329; --del: #ffebe9; --deleted: #82071e }
@media (prefers-color-scheme: dark) { :root { --text: #f0f6fc; --soft: #9198a1; --line: #3d444d; --back: #0d1117; --shade: #151b23; --link: #4493f8; --code: #656c7633; --ins: #033a16; --inserted: #aff5b4; --del: #67060c; --deleted: #ffdcd7 } }
body { margin: 16px; background: var(--back); color: var(--text); font: 14px/1.5 "Liberation Sans", "DejaVu Sans", sans-serif }
article { border: 1px solid var(--line); border-radius: 6px; max-width: 860px }
header { background: var(--shade); color: var(--soft); padding: 8px 16px; border-bottom: 1px solid var(--line); border-radius: 6px 6px 0 0 }
header b { color: var(--text) } header i { border: 1px solid var(--line); border-radius: 2em; padding: 0 6px; font-style: normal; font-size: 12px }
article > div { padding: 4px 16px 12px }
h3 { font-size: 17.5px; margin: 16px 0 8px } p, table, ul, pre, details { margin: 0 0 14px }
table { border-collapse: collapse } th, td { border: 1px solid var(--line); padding: 5px 12px } tr:nth-child(odd) td { background: var(--shade) }
code, pre { font: 12px/1.45 "DejaVu Sans Mono", monospace } code { background: var(--code); padding: 2px 5px; border-radius: 6px }
pre { background: var(--shade); padding: 12px; border-radius: 6px; white-space: pre-wrap } a { color: var(--link); text-decoration: none }
pre ins, pre del { text-decoration: none; display: inline-block; width: 100% } pre ins { background: var(--ins); color: var(--inserted) } pre del { background: var(--del); color: var(--deleted) }
summary { cursor: pointer }`;
