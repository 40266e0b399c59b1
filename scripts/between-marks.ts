/** The text with this content between `<!-- name -->` and `<!-- /name -->`; the words around the marks stay. Throws without the marks. */
export function betweenMarks(text: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`There is no place for ${name}: ${start} … ${end}`);
  return `${text.slice(0, from)}${start}\n${content}\n${text.slice(to)}`;
}
