/** Sends a GraphQL operation to GitHub and gives back its data. */
export type AskGraphql = (query: string, variables: Record<string, unknown>) => Promise<unknown>;

const isHiddenQuery = 'query ($id: ID!) { node(id: $id) { ... on IssueComment { isMinimized } } }';
const hideMutation =
  'mutation ($id: ID!) { minimizeComment(input: { subjectId: $id, classifier: OUTDATED }) { clientMutationId } }';

/** Folds a comment away as outdated; one that is folded already costs no write. */
export async function hideComment(ask: AskGraphql, nodeId: string): Promise<void> {
  if (!(await isHiddenComment(ask, nodeId))) await ask(hideMutation, { id: nodeId });
}

/** Whether somebody has folded a comment away: nobody would see what is written into it. */
export async function isHiddenComment(ask: AskGraphql, nodeId: string): Promise<boolean> {
  const answer = await ask(isHiddenQuery, { id: nodeId });
  return fieldOf(fieldOf(answer, 'node'), 'isMinimized') === true;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? new Map<string, unknown>(Object.entries(value)).get(name) : null;
}
