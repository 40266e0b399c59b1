/** Marks a value as one member of a result union; what it is follows from nothing else. */
export function asMember<Shape extends object>(typeName: string, value: Shape): Shape {
  return { ...value, [marker]: typeName };
}

/** For `resolveType` of a result union: the member that `asMember` named. */
export function memberOf(value: object): string | undefined {
  return marker in value && typeof value[marker] === 'string' ? value[marker] : undefined;
}

const marker = '__typename';
