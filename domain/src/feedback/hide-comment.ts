/** Sends a GraphQL operation to GitHub and gives back its data. */
export type AskGraphql = (query: string, variables: Record<string, unknown>) => Promise<unknown>;

const isHiddenQuery = 'query ($id: ID!) { node(id: $id) { ... on IssueComment { isMinimized } } }';
const hideMutation =
  'mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { clientMutationId } }';

/** Folds a comment away as outdated; one that is folded already costs no write. */
export async function hideComment(ask: AskGraphql, nodeId: string): Promise<void> {
  const answer = await ask(isHiddenQuery, { id: nodeId });
  if (!isHidden(answer)) await ask(hideMutation, { id: nodeId });
}

function isHidden(answer: unknown): boolean {
  return fieldOf(fieldOf(answer, 'node'), 'isMinimized') === true;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? new Map<string, unknown>(Object.entries(value)).get(name) : null;
}
