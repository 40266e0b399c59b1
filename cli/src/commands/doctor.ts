import { coordinatorClient, isSecureUrl } from '@proofmark/client/coordinator-client';
import type { LoadedSuite } from '@proofmark/contracts/loaded';
import { isError } from '@proofmark/contracts/problem';
import { plural } from '@proofmark/domain/format-numbers';
import { renderAnswer } from '@proofmark/domain/screen-safe-json';
import { readModelKeys } from '@proofmark/embedded/environment';
import { examineModels } from '@proofmark/embedded/examine-models';
import { z } from 'zod';
import { type Command, type CommandContext, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { openDefinitions } from '../arguments/open-definitions.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { errorWords } from '../coordinator/open-coordinator.ts';
import { paint, plain } from '../output/terminal.ts';

const Options = z.object({
  coordinator: z.string().min(1, 'must not be empty').optional(),
  json: z.boolean().default(false),
});

interface Found {
  what: 'definitions' | 'models' | 'coordinator';
  level: 'fault' | 'doubt';
  message: string;
}

export const doctor: Command = {
  synopsis: '[--coordinator URL] [--json]',
  optionHelp: [
    [
      '--coordinator URL',
      'look at this coordinator too; PROOFMARK_COORDINATOR by default. The token is that of PROOFMARK_TOKEN',
    ],
    ['--json', 'print what was found as JSON'],
  ],
  options: { coordinator: { type: 'string' }, json: { type: 'boolean' } },
  run: async ({ values, positionals }, context) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    if (positionals.length > 0) return wrongUsage('It looks at the folder in which it is typed, and takes no paths.');
    const url = options.options.coordinator ?? context.environment.coordinator;
    const found = [...(await lookHere(context)), ...(url === null ? [] : await lookThere(url, context))];
    const isSound = !found.some(({ level }) => level === 'fault');
    if (options.options.json) context.terminal.write(renderAnswer({ sound: isSound, found }));
    else tell(found, context, url);
    return done(isSound ? exitCodes.fine : exitCodes.wrongUsage);
  },
};

async function lookHere(context: CommandContext): Promise<Found[]> {
  const opened = openDefinitions([], context, { needsSuites: false });
  if (!opened.ok) return [{ what: 'definitions', level: 'fault', message: opened.usage }];
  const { definitions, problems, suitePaths } = opened.collected;
  const wrong = problems.filter(isError).length;
  const found: Found[] = [];
  if (wrong > 0)
    found.push({
      what: 'definitions',
      level: 'fault',
      message: `${plural(wrong, 'error')}: \`proofmark validate\` lists them`,
    });
  if (suitePaths.length === 0)
    found.push({ what: 'definitions', level: 'doubt', message: 'No suite here: `proofmark init` writes a first one' });
  const ring = readModelKeys();
  if (!ring.ok)
    return [...found, ...ring.problems.map((message): Found => ({ what: 'models', level: 'fault', message }))];
  const models = await examineModels(definitions, ring.keys, context.signal);
  const isAsked = suitePaths.length === 0 || definitions.suites.some(asksModel);
  return [
    ...found,
    ...models.map(
      ({ configuration, message }): Found => ({
        ...{ what: 'models', level: isAsked ? 'fault' : 'doubt' },
        message: `${configuration}: ${message}${isAsked ? '' : '. No suite here asks a model so far'}`,
      }),
    ),
  ];
}

/** Whether a suite needs any model: for its agent, or for what judges, simulates and measures. */
const asksModel = ({ agent, suite }: LoadedSuite): boolean =>
  agent.driver.type === 'openai' ||
  [suite.judge, suite.simulator, suite.embedding, suite.evaluations].some((block) => block !== null);

async function lookThere(typed: string, { environment, signal, version }: CommandContext): Promise<Found[]> {
  const fault = (message: string): Found[] => [{ what: 'coordinator', level: 'fault', message }];
  if (!isSecureUrl(typed)) return fault(`${typed} must be an https URL (http only on this machine)`);
  const url = typed.replace(/\/+$/, '');
  const ready = await fetch(`${url}/readyz`, { signal, redirect: 'manual' }).catch(() => null); // said below
  if (ready === null) return fault(`Nobody answers at ${url}: start the coordinator, or correct the address`);
  const said = (await ready.text()).trim().split('\n').slice(0, 20);
  if (ready.status === 503)
    return fault(`${url} is not ready: ${said.join('; ')}. \`proofmark-coordinator doctor\` says more there`);
  if (ready.status !== 200)
    return fault(`${url} answers ${ready.status} to /readyz, and is no coordinator: correct the address`);
  const { token } = environment;
  if (token === null) return fault('PROOFMARK_TOKEN is not set: set it to an API token of this coordinator');
  const retry = { now: Date.now, random: Math.random, pause: async () => undefined, forMs: 0 };
  const bearer = async () => ({ ok: true as const, answer: token });
  const viewer = await coordinatorClient({ url, bearer, signal, retry }).viewer();
  if (!viewer.ok) return fault(errorWords(viewer.error));
  return said
    .filter((line) => line.startsWith('degraded'))
    .map((line): Found => ({ what: 'coordinator', level: 'doubt', message: `${line} (this command is ${version})` }));
}

function tell(found: readonly Found[], { terminal }: CommandContext, url: string | null): void {
  const looked = ['definitions', 'models', ...(url === null ? [] : ['coordinator'])];
  for (const what of looked) {
    const ofIt = found.filter((one) => one.what === what);
    if (ofIt.length === 0) terminal.write(`${paint(terminal, 'green', 'ok')}     ${what}\n`);
    for (const { level, message } of ofIt)
      terminal.write(
        `${paint(terminal, level === 'fault' ? 'red' : 'yellow', level.padEnd(6))} ${what}: ${plain(message)}\n`,
      );
  }
}
