import { createServer, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { listen } from '../../../tests/stack/listen.ts';

interface ReceivedCall {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Whoever takes webhooks: it answers 200, unless it is told otherwise for the next calls. */
export async function receiveWebhooks() {
  const calls: ReceivedCall[] = [];
  const answers: { status: number; headers?: Record<string, string> }[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      calls.push({ path: request.url ?? '', headers: request.headers, body });
      const { status, headers } = answers.shift() ?? { status: 200 };
      response.writeHead(status, headers).end('ok');
    });
  });
  const { origin, close } = await listen(server);
  return { origin, calls, answers, [Symbol.asyncDispose]: close };
}

/** A mail server that keeps what it takes; a recipient whose address begins with `nobody` is refused. */
export async function receiveMails() {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('nobody') ? Object.assign(new Error('no such mailbox'), { responseCode: 550 }) : null),
    onData: (stream, _session, done) => {
      void text(stream).then((mail) => {
        mails.push(mail);
        done();
      });
    },
  });
  // Whoever connects and goes again is no fault of this server.
  server.on('error', () => undefined);
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port');
  const close = () => new Promise<void>((ended) => server.close(ended));
  return { url: `smtp://127.0.0.1:${address.port}`, mails, [Symbol.asyncDispose]: close };
}
