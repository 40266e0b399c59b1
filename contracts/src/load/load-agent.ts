import { type AgentHeader, ignoredAgentKeys, ignoredToolKeys, normaliseTool } from '../authored/agent-document.ts';
import {
  configurationFindings,
  inlineConfiguration,
  type ModelReference,
  unknownConfiguration,
} from '../authored/configurations.ts';
import { evaluationsFindings, namesOfMetrics } from '../authored/evaluations-block.ts';
import { AgentOutline } from '../authored/suite-file.ts';
import type { AgentDriver } from '../definitions/agent-file.ts';
import { noSuchFile } from '../definitions/near-match.ts';
import { resolveReference } from '../definitions/repository-path.ts';
import { type Finding, warning } from '../parse/finding.ts';
import { readPartly } from '../parse/read-partly.ts';
import { isMapping } from '../parse/schema-plan.ts';
import { type Located, reportAt } from '../parse/source-document.ts';
import { readSourceText } from '../parse/source-text.ts';
import type { LoadContext, LoadedAgent } from '../review/suite-review.ts';

/** Reads an agent from its own file or from inside a suite, as far as it can be read; undefined when nothing can. */
export function loadAgent(context: LoadContext, part: Located, value: unknown): LoadedAgent | undefined {
  const { value: header, folded, findings, broken, restore } = readPartly(AgentOutline, value, { name: 'nameless' });
  reportAt(context.problems, part, [...findings, ...(isMapping(folded) ? agentFindings(folded) : [])]);
  if (header === undefined) return undefined;
  const located = { ...part, restore };
  const reading: AgentReading = { context, located, header, broken, driver: driverOf(header) };
  const instructions = broken.has('instructions') ? undefined : readInstructions(reading);
  const configuration = configurationOf(reading);
  return {
    agent: {
      name: header.name,
      description: header.description ?? '',
      instructions: instructions?.text ?? '',
      tools: (header.tools ?? []).map(normaliseTool),
      driver: reading.driver,
      ai_configuration: configuration ?? null,
    },
    header,
    dependsOn: [...(instructions?.dependsOn ?? []), ...codeOf(reading)],
    testCases: header.test_cases,
    located,
    broken: brokenWith(broken, { instructions, ai_configuration: configuration }),
    metricNames: isMapping(folded) ? namesOfMetrics(folded.evaluations) : undefined,
    toolNames: broken.has('tools') ? namesOfTools(folded) : (header.tools ?? []).map(({ name }) => name),
  };
}

/** The file of an agent that is a function; one that is not there is reported. */
function codeOf({ context, located, driver, broken }: AgentReading): string[] {
  if (driver.type !== 'module' || broken.has('driver')) return [];
  const { exists, paths } = context.source;
  if (exists?.(driver.file) === false) {
    const message = noSuchFile(driver.file, paths?.());
    reportAt(context.problems, located, [{ path: ['driver', 'file'], code: 'not_found', message }]);
  }
  return [driver.file];
}

/** Also the keys whose meaning could not be found. */
const brokenWith = (broken: ReadonlySet<string>, found: Readonly<Record<string, unknown>>): Set<string> =>
  new Set([...broken, ...Object.keys(found).filter((key) => found[key] === undefined)]);

/** The parts of an agent that are being put together. */
interface AgentReading {
  context: LoadContext;
  located: Located;
  header: AgentHeader;
  broken: ReadonlySet<string>;
  driver: AgentDriver;
}

function namesOfTools(folded: unknown): string[] | undefined {
  const tools: unknown = isMapping(folded) ? folded.tools : undefined;
  if (!Array.isArray(tools)) return undefined;
  const names = tools.map((tool: unknown) => (isMapping(tool) ? tool.name : undefined));
  return names.every((name) => typeof name === 'string') ? names : undefined;
}

const driverOf = (header: AgentHeader): AgentDriver =>
  header.driver === undefined || header.driver === 'openai' ? { type: 'openai' } : header.driver;

function agentFindings(raw: Record<string, unknown>): Finding[] {
  const tools: unknown[] = Array.isArray(raw.tools) ? raw.tools : [];
  const names = tools.map((tool) => (isMapping(tool) ? tool.name : undefined));
  return [
    ...evaluationsFindings(raw.evaluations, ['evaluations']),
    ...configurationFindings(raw.model, ['model']),
    ...ignoredAgentKeys
      .filter((key) => raw[key] !== undefined)
      .map((key) => warning([key], 'unknown_field', `\`${key}\` configures HoloDeck and has no effect here`)),
    ...tools.flatMap((tool, index) => (isMapping(tool) ? toolFindings(tool, index) : [])),
    ...names.flatMap((name, index): Finding[] =>
      typeof name === 'string' && names.indexOf(name) < index
        ? [{ path: ['tools', index, 'name'], code: 'duplicate', message: `tool \`${name}\` is declared twice` }]
        : [],
    ),
    ...names.flatMap((name, index) => twinFindings(name, index, names)),
  ];
}

/** Names are compared exactly, so an expectation of the one is not met by the other. */
function twinFindings(name: unknown, index: number, names: readonly unknown[]): Finding[] {
  if (typeof name !== 'string') return [];
  const twin = names
    .slice(0, index)
    .filter((other) => typeof other === 'string')
    .find((other) => other !== name && other.toLowerCase() === name.toLowerCase());
  if (twin === undefined) return [];
  const message = `the tools \`${twin}\` and \`${name}\` differ only in case`;
  return [warning(['tools', index, 'name'], 'invalid_value', message)];
}

const toolFindings = (tool: Record<string, unknown>, index: number): Finding[] =>
  ignoredToolKeys
    .filter((key) => tool[key] !== undefined)
    .map((key) =>
      warning(
        ['tools', index, key],
        'unknown_field',
        `\`${key}\` has no effect: tools answer from \`mocks\` or in the team's own service`,
      ),
    );

function readInstructions({
  context,
  located,
  header: { instructions },
  broken,
  driver,
}: AgentReading): { text: string; dependsOn: string[] } | undefined {
  const refuse = (finding: Omit<Finding, 'path'>, key?: string): undefined => {
    reportAt(context.problems, located, [
      { ...finding, path: key === undefined ? ['instructions'] : ['instructions', key] },
    ]);
    return undefined;
  };
  if (typeof instructions === 'string') return { text: instructions, dependsOn: [] };
  if (instructions === undefined) {
    // Only a model is told who it is; the other drivers bring their own behaviour.
    if (driver.type !== 'openai' || broken.has('driver')) return { text: '', dependsOn: [] };
    return refuse({ code: 'required', message: '`instructions` is missing: the prompt of the agent', at: 'key' });
  }
  const { file, inline } = instructions;
  if (file !== undefined && inline !== undefined)
    return refuse({ code: 'exclusive', message: '`file` and `inline` exclude each other' });
  if (inline !== undefined) return { text: inline, dependsOn: [] };
  if (file === undefined) return refuse({ code: 'required', message: '`instructions` needs `file` or `inline`' });
  const resolved = resolveReference(located.document.path, file);
  if (!resolved.ok) return refuse({ code: 'invalid_format', message: `the path ${resolved.message}` }, 'file');
  const content = context.source.read(resolved.path);
  if (content === undefined)
    return refuse({ code: 'not_found', message: noSuchFile(resolved.path, context.source.paths?.()) }, 'file');
  const text = readSourceText(content);
  if (!text.ok) return refuse({ code: text.code, message: `\`${resolved.path}\`: ${text.message}` }, 'file');
  return { text: text.text, dependsOn: [resolved.path] };
}

/** Name of the agent's AI configuration; null for drivers that need none; undefined when it was refused. */
function configurationOf({ context, located, header, broken, driver }: AgentReading): string | null | undefined {
  const refuse = (finding: Finding): undefined => reportAt(context.problems, located, [finding]);
  const { ai_configuration: named, model } = header;
  if (['ai_configuration', 'model', 'driver'].some((key) => broken.has(key))) return undefined;
  if (typeof named === 'string')
    return context.configurations.has(named)
      ? named
      : refuse(unknownConfiguration(named, context, ['ai_configuration']));
  if (model !== undefined)
    return configurationOfModel(context, located, { model, wanted: header.name, key: ['model'] });
  if (driver.type !== 'openai') return null;
  const { authored, areKnown } = context.configurations;
  if (!areKnown) return undefined;
  if (authored.length === 1) return authored[0];
  const message =
    authored.length === 0 ? 'the agent has no model' : 'the agent does not say which AI configuration it uses';
  const hint =
    authored.length === 0
      ? 'Add `model: { provider: openai, name: … }`, or `ai_configurations` to proofmark.yaml.'
      : `Add \`ai_configuration\` with one of: ${authored.join(', ')}.`;
  return refuse({ path: ['ai_configuration'], code: 'required', message, hint, at: 'key' });
}

/** The name under which a model reference can be found; undefined, with a problem, when it means nothing. */
export function configurationOfModel(
  context: LoadContext,
  located: Located,
  { model, wanted, key }: { model: ModelReference; wanted: string; key: Finding['path'] },
): string | undefined {
  const refuse = (finding: Finding): undefined => reportAt(context.problems, located, [finding]);
  if (typeof model === 'string')
    return context.configurations.has(model) ? model : refuse(unknownConfiguration(model, context, key));
  const configuration = inlineConfiguration(model);
  if (configuration === undefined)
    return refuse({ path: [...key, 'name'], code: 'required', message: 'the name of the model is missing', at: 'key' });
  return context.configurations.adopt(wanted, configuration);
}
