import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** A local server for tests; `seen` has the path of every request. */
interface FileServer extends AsyncDisposable {
  origin: string;
  seen: string[];
  headers: IncomingMessage['headers'][];
}

/** What it answers by path: bytes, or a function that answers by itself. Other paths are not found. */
type Served = Readonly<Record<string, Buffer | string | ((answer: ServerResponse) => void)>>;

export async function serveFiles(files: Served): Promise<FileServer> {
  const seen: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer((request, answer) => {
    const path = request.url ?? '';
    seen.push(path);
    headers.push(request.headers);
    const file = files[path];
    if (typeof file === 'function') return file(answer);
    answer.statusCode = file === undefined ? 404 : 200;
    answer.end(file ?? 'nothing here');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    seen,
    headers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
