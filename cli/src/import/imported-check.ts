/** A check of a case, as a suite file has it. */
export type ImportedCheck = Record<string, unknown> & { type: string };

/** A measure with a least score: of a suite, for the cases that name it. */
export const isMetric = ({ type }: ImportedCheck): boolean => type === 'geval' || type === 'rag';
