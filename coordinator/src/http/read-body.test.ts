import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { bodyRoom, readBody } from './read-body.ts';
import { respond } from './respond.ts';
import { serve } from './serve.ts';

const limitBytes = 1024;
const megabyte = Buffer.alloc(1024 * 1024, 'a');

const refusing = () =>
  serve({
    host: '127.0.0.1',
    port: 0,
    onError: (error) => {
      throw error;
    },
    routes: {
      '/': async (request, response) => {
        const body = await readBody(request, limitBytes);
        respond(response, { status: body.ok ? 200 : 413, body: body.ok ? 'taken' : body.reason });
      },
    },
  });

/** Reads nothing before everything is written, as simple clients do. */
async function answerAfterWriting(port: number, head: string, parts: readonly (Buffer | string)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nHost: proofmark\r\nConnection: close\r\n${head}\r\n\r\n`);
  for (const part of parts) if (!socket.write(part)) await once(socket, 'drain');
  return await text(socket);
}

test('a caller that writes a body over the limit to its end reads why it was refused (G4)', async () => {
  await using server = await refusing();
  const parts = Array.from({ length: 16 }, () => megabyte);
  const announced = `Content-Length: ${16 * megabyte.length}`;

  expect(await answerAfterWriting(server.port, announced, parts)).toMatch(/^HTTP\/1\.1 413 .*too-large$/s);
});

test('so does one that does not say how long its body is', async () => {
  await using server = await refusing();
  const size = `${megabyte.length.toString(16)}\r\n`;
  const parts = Array.from({ length: 16 }, () => [size, megabyte, '\r\n']).flat();

  const answer = await answerAfterWriting(server.port, 'Transfer-Encoding: chunked', [...parts, '0\r\n\r\n']);

  expect(answer).toMatch(/^HTTP\/1\.1 413 .*too-large$/s);
});

test('a body within the limit is read whole', async () => {
  await using server = await refusing();
  expect(await answerAfterWriting(server.port, 'Content-Length: 4', ['body'])).toMatch(/taken$/);
});

test('what is read together has one room: a body that finds none is refused, and what is read gives it back', async () => {
  const room = bodyRoom(1500);
  const isBegun = Promise.withResolvers<void>();
  await using server = await serve({
    host: '127.0.0.1',
    port: 0,
    onError: (error) => {
      throw error;
    },
    routes: {
      '/': async (request, response) => {
        const body = await readBody(request, limitBytes, { room, onChunk: () => isBegun.resolve() });
        respond(response, { status: body.ok ? 200 : 503, body: body.ok ? 'taken' : body.reason });
      },
    },
  });
  const length = 'Content-Length: 1000';
  const first = connect(server.port, '127.0.0.1');
  first.write(`POST / HTTP/1.1\r\nHost: proofmark\r\nConnection: close\r\n${length}\r\n\r\n`);
  first.write(megabyte.subarray(0, 900));
  await isBegun.promise;

  const second = [megabyte.subarray(0, 1000)];
  expect(await answerAfterWriting(server.port, length, second)).toMatch(/^HTTP\/1\.1 503 .*no-room$/s);
  first.write(megabyte.subarray(0, 100));
  expect(await text(first)).toMatch(/taken$/);
  expect(await answerAfterWriting(server.port, length, second)).toMatch(/taken$/);
});
