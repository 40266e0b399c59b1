import type { Identity } from '../graphql/context.ts';
import { challenge, type Identify } from './identify.ts';
import { refuse, respond } from './respond.ts';
import type { Route } from './serve.ts';

type SchemaOptions = {
  /** The schema as text; asked for when somebody first wants it. */
  print: () => string;
  identify: Identify<Identity>;
  /** What introspection may tell, this tells too; and nothing where the operator has turned that off. */
  isTold: boolean;
};

/** `/schema.graphql`: the schema of this very coordinator, for code generators and editors that have a token. */
export function schemaRoute({ print, identify, isTold }: SchemaOptions): Route {
  let text: string | undefined;
  return async (request, response) => {
    if (request.method !== 'GET')
      return respond(response, { status: 405, body: 'Send a GET request.\n', headers: { allow: 'GET' } });
    const identified = await identify(request);
    if (!identified.ok) return refuse(response, { ...identified, headers: challenge(identified.status) });
    if (!isTold) return respond(response, { status: 404, body: 'Not found\n' });
    text ??= print();
    respond(response, { status: 200, body: text, type: 'application/graphql; charset=utf-8' });
  };
}
