export interface SseEvent {
  event: string;
  data: string;
}

/** The whole events at the start of what has arrived, and the rest, which may grow to the next one. */
export function takeEvents(received: string): { events: SseEvent[]; rest: string } {
  const blocks = received.replaceAll('\r\n', '\n').split('\n\n');
  const rest = blocks.pop() ?? '';
  const events = blocks.map(readBlock).filter(({ event, data }) => event !== '' || data !== '');
  return { events, rest };
}

function readBlock(block: string): SseEvent {
  const lines = block.split('\n');
  const valuesOf = (field: string): string[] =>
    lines.filter((line) => line.startsWith(`${field}:`)).map((line) => line.slice(field.length + 1).replace(/^ /, ''));
  return { event: valuesOf('event').at(-1) ?? '', data: valuesOf('data').join('\n') };
}
