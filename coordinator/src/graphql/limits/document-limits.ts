import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLError,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { graphqlError } from '../graphql-error.ts';

const limits = {
  tokens: 1000,
  depth: 10,
  // What the standard introspection query of editors and code generators needs.
  introspectionDepth: 16,
  fields: 2000,
  aliases: 30,
  mutationFields: 5,
  directives: 50,
  directivesOfOne: 4,
} as const;

/** The largest request that is read at all. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

export const MAX_TOKENS = limits.tokens;

/** Every limit that a parsed document is over; none when it may be validated and executed. */
export function exceededLimits(document: DocumentNode): GraphQLError[] {
  const size = measureDocument(document);
  const errors: GraphQLError[] = [];
  const deny = (...[code, message]: Parameters<typeof graphqlError>) => void errors.push(graphqlError(code, message));
  if (size.hasCycle) deny('QUERY_TOO_DEEP', 'A fragment spreads itself.');
  if (size.depth > limits.depth)
    deny('QUERY_TOO_DEEP', `The query is ${size.depth} fields deep, the limit is ${limits.depth}.`);
  if (size.introspectionDepth > limits.introspectionDepth) {
    deny(
      'QUERY_TOO_DEEP',
      `The introspection is ${size.introspectionDepth} fields deep, the limit is ${limits.introspectionDepth}.`,
    );
  }
  if (size.fields > limits.fields)
    deny('QUERY_TOO_COMPLEX', `The query has more than ${limits.fields} fields once its fragments are followed.`);
  if (size.aliases > limits.aliases)
    deny('TOO_MANY_ALIASES', `The query has ${size.aliases} aliases, the limit is ${limits.aliases}.`);
  if (size.mutationFields > limits.mutationFields) {
    deny(
      'TOO_MANY_ALIASES',
      `The request has ${size.mutationFields} mutations, the limit is ${limits.mutationFields}.`,
    );
  }
  if (size.directives > limits.directives || size.mostDirectives > limits.directivesOfOne) {
    deny(
      'TOO_MANY_DIRECTIVES',
      `At most ${limits.directivesOfOne} directives at one place and ${limits.directives} in all.`,
    );
  }
  return errors;
}

interface DocumentSize {
  /** Fields below each other in the deepest operation, fragments followed; those of introspection are counted apart. */
  depth: number;
  introspectionDepth: number;
  /** Fields after every spread was replaced by its fragment. */
  fields: number;
  aliases: number;
  directives: number;
  mostDirectives: number;
  mutationFields: number;
  hasCycle: boolean;
}

type Extent = { depth: number; introspectionDepth: number; fields: number };

/** How large a document is once its fragments are followed. Each fragment is measured once, so exponential spreads cost nothing. */
function measureDocument(document: DocumentNode): DocumentSize {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const size: DocumentSize = {
    ...none,
    aliases: 0,
    directives: 0,
    mostDirectives: 0,
    mutationFields: 0,
    hasCycle: false,
  };
  const known = new Map<string, Extent | 'open'>();

  const measureSet = (set: SelectionSetNode | undefined): Extent =>
    (set?.selections ?? []).reduce<Extent>((sum, selection) => add(sum, measureSelection(selection)), none);

  const measureSelection = (selection: SelectionNode): Extent => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return measureFragment(selection.name.value);
    const inner = measureSet(selection.selectionSet);
    return selection.kind === Kind.FIELD ? below(selection.name.value, inner) : inner;
  };

  const measureFragment = (name: string): Extent => {
    const before = known.get(name);
    if (before === 'open') size.hasCycle = true;
    if (before !== undefined) return before === 'open' ? none : before;
    known.set(name, 'open');
    const extent = measureSet(fragments.get(name)?.selectionSet);
    known.set(name, extent);
    return extent;
  };

  for (const node of document.definitions) {
    if (node.kind !== Kind.OPERATION_DEFINITION) continue;
    Object.assign(size, add(size, measureSet(node.selectionSet)));
    if (node.operation === 'mutation') size.mutationFields += rootFields(node.selectionSet, fragments, new Set());
  }
  // Fragments that nobody spreads are still text to validate.
  for (const name of fragments.keys()) measureFragment(name);
  countMarks(document, size);
  return size;
}

const none: Extent = { depth: 0, introspectionDepth: 0, fields: 0 };

function add(one: Extent, other: Extent): Extent {
  return {
    depth: Math.max(one.depth, other.depth),
    introspectionDepth: Math.max(one.introspectionDepth, other.introspectionDepth),
    fields: Math.min(one.fields + other.fields, Number.MAX_SAFE_INTEGER),
  };
}

function below(field: string, inner: Extent): Extent {
  const fields = inner.fields + 1;
  if (field === '__schema' || field === '__type') return { depth: 1, introspectionDepth: inner.depth + 1, fields };
  return { depth: inner.depth + 1, introspectionDepth: inner.introspectionDepth, fields };
}

function rootFields(
  set: SelectionSetNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  seen: Set<string>,
): number {
  let count = 0;
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) count += 1;
    else if (selection.kind === Kind.INLINE_FRAGMENT) count += rootFields(selection.selectionSet, fragments, seen);
    else if (!seen.has(selection.name.value)) {
      seen.add(selection.name.value);
      const fragment = fragments.get(selection.name.value);
      if (fragment !== undefined) count += rootFields(fragment.selectionSet, fragments, seen);
    }
  }
  return count;
}

function countMarks(document: DocumentNode, size: DocumentSize): void {
  const note = (directives: readonly unknown[] = []) => {
    size.directives += directives.length;
    size.mostDirectives = Math.max(size.mostDirectives, directives.length);
  };
  visit(document, {
    Field: ({ alias, directives }) => {
      note(directives);
      if (alias !== undefined) size.aliases += 1;
    },
    FragmentSpread: ({ directives }) => note(directives),
    InlineFragment: ({ directives }) => note(directives),
    FragmentDefinition: ({ directives }) => note(directives),
    OperationDefinition: ({ directives }) => note(directives),
    VariableDefinition: ({ directives }) => note(directives),
  });
}
