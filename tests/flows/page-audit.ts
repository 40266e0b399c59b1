import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary?: string }[];
}

/** What an audit of accessibility finds serious. The page forbids foreign scripts, so the audit runs beside it, not in it. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const run = `(async () => { ${axe}; const { violations } = await axe.run(document, { resultTypes: ['violations'] }); return violations; })()`;
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send('Runtime.evaluate', {
    expression: run,
    awaitPromise: true,
    returnByValue: true,
  });
  return (result.value as Finding[])
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary ?? ''}`);
}
