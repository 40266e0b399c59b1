import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/load-definitions';
import type { Project } from '@proofmark/contracts/project';
import { buildInstrument, caseLimits, instrumentsOfCases } from './build-instrument.ts';
import { findBaseline } from './find-baseline.ts';

/** Whether every case that both sides have is measured in the same way; otherwise earlier trials of the base say nothing. */
export function isMeasuredAlike(head: LoadedDefinitions, base: LoadedDefinitions): boolean {
  return head.suites.every((suite) => {
    const partner = findBaseline(suite, base);
    if (partner === undefined) return true;
    const [ofHead, ofBase] = [hashesOf(suite, head.project), hashesOf(partner, base.project)];
    return [...ofHead].every(([caseName, hash]) => (ofBase.get(caseName) ?? hash) === hash);
  });
}

/** By the name of the case; empty where the definitions name models that they do not have. */
function hashesOf(loaded: LoadedSuite, project: Project): Map<string, string> {
  const built = buildInstrument(loaded, project);
  if (!built.ok) return new Map();
  const instrumentOf = instrumentsOfCases(built.instrument, caseLimits(project.limits));
  return new Map(loaded.suite.cases.map((testCase) => [testCase.name, instrumentOf(testCase).hash]));
}
