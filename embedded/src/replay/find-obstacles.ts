import { createHash } from 'node:crypto';
import type { ModelSettings } from '@proofmark/contracts/ai-configuration';
import type { CaseWork } from '@proofmark/contracts/case-work';
import { chooseEndpoint } from '@proofmark/runner-agent/choose-key';
import { readCaseFile } from '../case-files.ts';
import type { ModelKeys } from '../environment.ts';

interface Here {
  keys: ModelKeys;
  /** The repository, from which files of cases are read. */
  root: string;
}

/** Why this work cannot be repeated here as it was: keys that are not set, files that are gone or have changed. */
export async function findObstacles(work: CaseWork, { keys, root }: Here): Promise<string[]> {
  const missingKeys = modelsOf(work).flatMap((model) => keyProblem(model, keys));
  return [...new Set([...missingKeys, ...(await fileProblems(work, root))])];
}

/** Every model that takes part: the agent's and the measuring ones. */
function modelsOf({ agent, model, instrument }: CaseWork): ModelSettings[] {
  const { judge, panel = [], embedding, simulator, metricModels = {} } = instrument;
  const own = agent.driver.type === 'openai' ? [model] : [];
  const all = [...own, judge, ...panel, embedding, simulator?.model ?? null, ...Object.values(metricModels)];
  return all.filter((one) => one !== null);
}

function keyProblem(settings: ModelSettings, keys: ModelKeys): string[] {
  const endpoint = chooseEndpoint(settings, keys);
  if (!endpoint.ok) return [`${settings.configuration}: ${endpoint.message}`];
  // Servers of one's own often need no key; that of OpenAI always does.
  const needsKey = new URL(endpoint.baseUrl).hostname === 'api.openai.com';
  return endpoint.key === null && needsKey ? [`${settings.configuration}: OPENAI_API_KEY is not set`] : [];
}

async function fileProblems({ case: { files }, contents = [] }: CaseWork, root: string): Promise<string[]> {
  const problems: string[] = [];
  for (const { path } of files) {
    if (path === undefined) continue;
    const content = await readCaseFile(path, root);
    const wanted = contents.find((one) => one.path === path)?.sha256;
    if (content === null) problems.push(`${path} cannot be read in ${root}`);
    else if (wanted !== undefined && createHash('sha256').update(content).digest('hex') !== wanted) {
      problems.push(`${path} has changed since: it had the SHA-256 ${wanted}`);
    }
  }
  return problems;
}
