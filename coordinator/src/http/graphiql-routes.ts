import { respond } from './respond.ts';
import type { Route } from './serve.ts';

/**
 * Scripts come from this origin alone, and nothing is asked of another one. The editor writes style elements of its own while it
 * works, so styles may stand in the page: they reach nobody, because nothing of them may be loaded from elsewhere either.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const headers = { 'content-security-policy': policy, 'cross-origin-opener-policy': 'same-origin' };

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>GraphiQL · Proofmark</title>
<link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/graphiql/style.css">
</head>
<body>
<noscript>This page needs JavaScript.</noscript>
<div id="root"></div>
<script src="/graphiql/app.js"></script>
</body>
</html>
`;

/** What a browser has never asked stands in its editor. */
const firstQuery = `# Who asks: whoever is signed in on the page, or
# a token in "Headers" below, as
# { "authorization": "Bearer pmk_…" }
{
  viewer { tenant login scopes }
  runs(first: 5) {
    edges { node { id status verdictWord } }
  }
}
`;

const options = {
  endpoint: '/graphql',
  title: 'GraphiQL · Proofmark',
  defaultQuery: firstQuery,
  shouldPersistHeaders: false,
};

/** The threads of the editor, by the names that it has for them. */
const workers = ['editorWorkerService', 'json', 'graphql'] as const;

/** The files of GraphiQL as Yoga puts them together, with everything that they need. They are read when they are asked for first. */
async function filesOf(): Promise<Map<string, { body: string; type: string }>> {
  const parts = await import('@graphql-yoga/render-graphiql/graphiql');
  const threads = {
    editorWorkerService: parts.editorWorkerService,
    json: parts.jsonWorker,
    graphql: parts.graphqlWorker,
  };
  const begin = "self.MonacoEnvironment = { getWorkerUrl: (_module, name) => '/graphiql/' + name + '.js' };";
  const start = `YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), ${JSON.stringify(options)});`;
  const script = 'text/javascript; charset=utf-8';
  return new Map([
    ['/graphiql', { body: page, type: 'text/html; charset=utf-8' }],
    ['/graphiql/app.js', { body: [begin, parts.js, start].join('\n'), type: script }],
    ['/graphiql/style.css', { body: parts.css, type: 'text/css; charset=utf-8' }],
    ...workers.map((name) => [`/graphiql/${name}.js`, { body: threads[name], type: script }] as const),
  ]);
}

/** `/graphiql`: the editor for GraphQL, from our own files. None unless the operator wants it. */
export function graphiqlRoutes(isWanted: boolean): Readonly<Record<string, Route>> {
  if (!isWanted) return {};
  let files: ReturnType<typeof filesOf> | undefined;
  const route: Route = async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return respond(response, { status: 405, body: 'Send a GET request.\n', headers: { allow: 'GET, HEAD' } });
    files ??= filesOf();
    const file = (await files).get(new URL(request.url ?? '/', 'http://proofmark').pathname);
    if (file === undefined) return respond(response, { status: 404, body: 'Not found\n' });
    respond(response, { status: 200, ...file, headers });
  };
  return { '/graphiql': route, '/graphiql/*': route };
}
