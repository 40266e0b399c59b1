const styles: Record<string, string> = {
  '31': 'red',
  '32': 'green',
  '33': 'yellow',
  '2': 'dim',
  '1': 'bold',
  '36': 'cyan',
};

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const escapeCharacter = String.fromCharCode(27);
const styleCode = new RegExp(`(${escapeCharacter}\\[[\\d;]*m)`);

/** What a terminal shows after this output: a carriage return and an erased line take away what stood there. */
function shownLines(output: string): string[] {
  return output
    .replaceAll('\r\n', '\n')
    .replaceAll(`${escapeCharacter}[2K`, '\r')
    .split('\n')
    .map((line) => line.split('\r').at(-1) ?? '');
}

const promptMark = `${escapeCharacter}[2m$${escapeCharacter}[22m`;

/** The output of a command, with its colours, as a page that looks like a terminal. */
export function terminalPage(command: string, output: string, rows = Number.POSITIVE_INFINITY): string {
  const all = [`${promptMark} ${command}`, ...shownLines(output)];
  // A terminal that is full scrolls.
  const lines = all.slice(-Math.min(rows, all.length)).map((line) =>
    line
      .split(styleCode)
      .map((part) => {
        if (!part.startsWith(escapeCharacter)) return escapeHtml(part);
        const code = part.slice(2, -1);
        return styles[code] === undefined ? '</span>' : `<span class="${styles[code]}">`;
      })
      .join(''),
  );
  return `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #16181c; color: #d7dae0; font: 13px/1.5 "DejaVu Sans Mono", monospace; padding: 18px 22px; }
pre { margin: 0; font: inherit; white-space: pre-wrap; } .red { color: #ff8a80 } .green { color: #7bd88f } .yellow { color: #f0c674 }
.cyan { color: #8abeb7 } .dim { color: #8b919c } .bold { font-weight: bold }
</style><pre>${lines.join('\n')}</pre>`;
}
