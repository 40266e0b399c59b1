/** `proofmark / Support agent`: the name of the check of one suite. */
export function suiteCheckName(checkName: string, suiteName: string): string {
  return `${checkName} / ${suiteName}`;
}
