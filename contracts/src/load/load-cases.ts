import { CaseFile, caseFindings, caseKind, normaliseCase } from '../authored/case-file.ts';
import type { CasePosition, Position } from '../definitions/loaded.ts';
import { fileStem, resolveReference } from '../definitions/repository-path.ts';
import type { Finding } from '../parse/finding.ts';
import { readPartly } from '../parse/read-partly.ts';
import { isMapping, snakeCase } from '../parse/schema-plan.ts';
import { type Located, readReferenced, reportAt, within } from '../parse/source-document.ts';
import type { LoadContext, LoadedCase } from '../review/suite-review.ts';
import type { RowCases } from './cases-from.ts';

export interface LoadedCases {
  cases: LoadedCase[];
  dependsOn: string[];
  /** False when something of the list could not be read at all. */
  areAllRead: boolean;
}

/** Where a list of cases stands: in a suite, in an agent's file, or in a file of its own. */
export interface CaseList {
  located: Located;
  entries: readonly unknown[];
  /** Those that rows of files become, behind the others. */
  fromRows?: RowCases;
}

/**
 * Reads every case of a list, those in files of their own included, in the order of the files. A case with an error is
 * there as far as it could be read, so that the review finds what else is wrong with it and with the others.
 */
export function loadCases(context: LoadContext, list: CaseList): LoadedCases {
  const dependsOn: string[] = [];
  let areAllRead = true;
  const keep = (loaded: LoadedCase | undefined): LoadedCase[] => {
    areAllRead &&= loaded !== undefined;
    return loaded === undefined ? [] : [loaded];
  };
  const cases = list.entries.flatMap((entry, index) => {
    const located = within(list.located, [index]);
    const file = referencedFile(entry);
    if (file === undefined)
      return keep(readCase(context, located, { entry, index, position: positionOf(located, entry) }));
    const document = readCaseFile(context, located, file);
    if (document === undefined) return keep(undefined);
    dependsOn.push(document.located.document.path);
    return document.entries.flatMap((inner, position) =>
      keep(
        readCase(context, document.single ? document.located : within(document.located, [position]), {
          entry: inner,
          index: position,
          position: positionOf(located, entry),
        }),
      ),
    );
  });
  for (const { entry, located, position } of list.fromRows?.cases() ?? []) {
    cases.push(...keep(readCase(context, located, { entry, index: cases.length, position })));
  }
  dependsOn.push(...(list.fromRows?.dependsOn ?? []));
  areAllRead &&= list.fromRows?.areAllRead ?? true;
  reportDuplicates(context, cases);
  return { cases: cases.toSorted((a, b) => a.sortOrder - b.sortOrder), dependsOn, areAllRead };
}

function referencedFile(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry;
  if (!isMapping(entry) || Object.keys(entry).length !== 1) return undefined;
  return typeof entry.file === 'string' ? entry.file : undefined;
}

interface CaseDocument extends CaseList {
  single: boolean;
}

function readCaseFile(context: LoadContext, located: Located, reference: string): CaseDocument | undefined {
  const refuse = (finding: Omit<Finding, 'path'>): undefined =>
    reportAt(context.problems, located, [{ path: [], ...finding }]);
  const resolved = resolveReference(located.document.path, reference);
  if (!resolved.ok) return refuse({ code: 'invalid_format', message: `the path \`${reference}\` ${resolved.message}` });
  const document = readReferenced(context, resolved.path, refuse);
  if (document === undefined) return undefined;
  const [key, ...others] = Object.keys(document.value);
  const isList = key !== undefined && others.length === 0 && ['cases', 'test_cases'].includes(snakeCase(key));
  const entries: unknown = isList ? document.value[key] : [document.value];
  if (!Array.isArray(entries))
    return refuse({ code: 'invalid_type', message: `\`${key}\` in \`${resolved.path}\` must be a list` });
  return { located: { document, base: isList ? [key] : [] }, entries, single: !isList };
}

function readCase(
  context: LoadContext,
  located: Located,
  { entry, index, position }: { entry: unknown; index: number; position: CasePosition },
): LoadedCase | undefined {
  const raw = isMapping(entry) ? unwrapVariables(entry) : entry;
  const { value, folded, findings, broken, restore } = readPartly(CaseFile, raw);
  reportAt(context.problems, located, [
    ...findings,
    ...(isMapping(folded) ? caseFindings(folded, context.source.allowedOrigins) : []),
  ]);
  if (value === undefined || !isMapping(folded)) return undefined;
  const name = value.name ?? `${fileStem(located.document.path)}#${index + 1}`;
  return {
    // A wrong `input` is an input all the same.
    testCase: normaliseCase(value, name, caseKind(folded)),
    located: { ...located, restore },
    position,
    sortOrder: value.sort_order ?? 0,
    broken,
  };
}

/** A test's variables document of seed 004 wraps its map in a second `variables`. */
export function unwrapVariables(entry: Record<string, unknown>): Record<string, unknown> {
  const variables = entry.variables;
  if (!isMapping(variables) || Object.keys(variables).length !== 1 || !isMapping(variables.variables)) return entry;
  return { ...entry, variables: variables.variables };
}

function positionOf({ document, base }: Located, entry: unknown): Position {
  const named = isMapping(entry) && Object.hasOwn(entry, 'name');
  return document.place({ path: named ? [...base, 'name'] : base });
}

/** Names are the keys by which runs are compared, so two that only look different are one name. */
function reportDuplicates({ problems }: LoadContext, cases: readonly LoadedCase[]): void {
  const seen = new Map<string, LoadedCase>();
  for (const loaded of cases) {
    const name = loaded.testCase.name.normalize('NFC');
    const first = seen.get(name);
    if (first === undefined) seen.set(name, loaded);
    else reportAt(problems, loaded.located, [duplicateName(name, first, loaded)]);
  }
}

function duplicateName(name: string, first: LoadedCase, second: LoadedCase): Finding {
  const { path } = first.located.document;
  const { line } =
    first.located.tellAt === undefined ? first.position : first.located.document.place({ path: first.located.base });
  const place = `line ${line}${path === second.located.document.path ? '' : ` of ${path}`}`;
  return { path: ['name'], code: 'duplicate', message: `duplicate case name \`${name}\`, first on ${place}` };
}
