/** Shapes of text that try to pass for somebody else than the speaker, or to instruct whoever judges. */
const suspicions: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['role marker', /<\|(?:im_start|im_end|system|assistant|user|end)\|?>|\[\/?INST\]|<\/?(?:system|assistant)>/i],
  [
    'verdict',
    /["']?(?:passed|status|score|verdict|injection_attempt)["']?\s*:\s*(?:true|"?pass(?:ed)?\b|1\b|10\b|5\b)/i,
  ],
  ['marker look-alike', /<\/?data(?:\s+[0-9a-f]{6,})?>|(?:begin|end) of (?:data|transcript|answer)\b/i],
  [
    'order to a grader',
    /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,60}\b(?:instructions?|rules?|criteria|rubric|prompt)\b|\b(?:grader|judge|evaluator)\b[^.\n]{0,80}\b(?:pass|approve|score|mark|rate|must|should)\b|\b(?:mark|rate|grade|score)\b[^.\n]{0,40}\bas\s+(?:passed|correct|perfect)\b/i,
  ],
];

/** What in a text looks like an attempt on the judge. A flag for people and never a verdict: honest answers quote such texts. */
export function suspectInjection(text: string): string[] {
  return suspicions.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
}
