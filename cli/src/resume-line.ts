/** What to type to go on with a run or a session, in the folder in which it was started. */
export function resumeLine(command: 'run' | 'ab', id: string, results: string): string {
  const place = results === 'results' ? '' : ` --results ${quoted(results)}`;
  return `proofmark ${command} --resume ${id}${place}`;
}

/** As a shell takes it for one word. */
const quoted = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
