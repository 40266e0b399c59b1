import { type FieldNode, type OperationDefinitionNode, parse, valueFromASTUntyped } from 'graphql';
import { z } from 'zod';
import { type Answer, ok, unauthorized } from './answer.ts';
import { accountOf } from './callers.ts';
import type { Request, Route, World } from './world.ts';

/** The two things that the REST API cannot do: fold a comment away, and ask who holds the token. */
export const graphqlRoutes: Route[] = [
  { method: 'POST', path: '/graphql', handle: answerGraphql },
  { method: 'POST', path: '/api/graphql', handle: answerGraphql },
];

const GraphqlRequest = z.looseObject({ query: z.string(), variables: z.record(z.string(), z.unknown()).default({}) });
const Minimize = z.looseObject({ input: z.looseObject({ subjectId: z.string(), classifier: z.string() }) });
const NodeQuery = z.looseObject({ id: z.string() });

function answerGraphql(world: World, request: Request): Answer {
  const { kind } = request.caller;
  if (kind === 'anonymous' || kind === 'unknown' || kind === 'app') return unauthorized;
  const { query, variables } = GraphqlRequest.parse(request.body);
  const data: Record<string, unknown> = {};
  for (const field of fieldsOf(query)) {
    const key = field.alias?.value ?? field.name.value;
    try {
      data[key] = resolveField(world, request, field, variables);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return ok({ data: { [key]: null }, errors: [{ type: 'NOT_FOUND', path: [key], message }] });
    }
  }
  return ok({ data });
}

function fieldsOf(query: string): FieldNode[] {
  const operation = parse(query).definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === 'OperationDefinition',
  );
  const selections = operation?.selectionSet.selections ?? [];
  return selections.filter((selection): selection is FieldNode => selection.kind === 'Field');
}

function resolveField(
  world: World,
  { caller }: Request,
  field: FieldNode,
  variables: Record<string, unknown>,
): unknown {
  const given: Record<string, unknown> = {};
  for (const { name, value } of field.arguments ?? []) given[name.value] = valueFromASTUntyped(value, variables);
  switch (field.name.value) {
    case 'viewer':
      return accountOf(caller);
    case 'node': {
      const comment = commentOf(world, NodeQuery.parse(given).id);
      return {
        id: `IC_${comment.id}`,
        isMinimized: comment.minimized !== undefined,
        minimizedReason: comment.minimized?.toLowerCase() ?? null,
      };
    }
    case 'minimizeComment': {
      const { subjectId, classifier } = Minimize.parse(given).input;
      const comment = commentOf(world, subjectId);
      comment.minimized = classifier;
      return { minimizedComment: { isMinimized: true, minimizedReason: classifier.toLowerCase() } };
    }
    default:
      throw new Error(`Field '${field.name.value}' is not part of this local GitHub`);
  }
}

function commentOf({ comments }: World, nodeId: string) {
  const comment = comments.find(({ id }) => nodeId === `IC_${id}`);
  if (comment === undefined) throw new Error(`Could not resolve to a node with the global id of '${nodeId}'`);
  return comment;
}
