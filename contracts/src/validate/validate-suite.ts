import { evaluationsFindings } from '../authored/evaluations-block.ts';
import { SuiteHeader } from '../authored/suite-file.ts';
import { suiteFindings } from '../authored/suite-findings.ts';
import { readShape } from '../parse/read-shape.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { conclude, type Validation } from './validation.ts';

/** Judges the settings of a suite, without agent and cases. */
export function validateSuite(value: unknown): Validation {
  const { value: parsed, folded, findings } = readShape(SuiteHeader, value);
  const rules = isMapping(folded)
    ? [...suiteFindings(folded), ...evaluationsFindings(folded.evaluations, ['evaluations'])]
    : [];
  return conclude([...findings, ...rules], () => ({ ...parsed }));
}
