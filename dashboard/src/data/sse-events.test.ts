import { expect, test } from 'vitest';
import { takeEvents } from './sse-events.ts';

test('whole events are taken, and what is left waits for its end', () => {
  expect(takeEvents('event: next\ndata: {"a":1}\n\n:\n\nevent: complete\ndata\n\nevent: ne')).toEqual({
    events: [
      { event: 'next', data: '{"a":1}' },
      { event: 'complete', data: '' },
    ],
    rest: 'event: ne',
  });
});

test('an event that arrives letter by letter is the same event', () => {
  const text = 'event: next\r\ndata: one\r\ndata: two\r\n\r\n';
  let rest = '';
  const seen = text.split('').flatMap((letter) => {
    const taken = takeEvents(rest + letter);
    rest = taken.rest;
    return taken.events;
  });
  expect(seen).toEqual([{ event: 'next', data: 'one\ntwo' }]);
});
