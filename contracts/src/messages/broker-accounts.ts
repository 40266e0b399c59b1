import {
  poolSubject,
  RESULTS_SUBJECTS,
  RPC_SUBJECTS,
  resultSubjects,
  rpcSubjects,
  runnerSubject,
  workStream,
} from './subjects.ts';

/** Who may do what on the broker. The configuration that is shipped, the command that makes keys and the tests are made of this. */

/** Where answers to a process come in. */
export const inboxPrefix = (name: string): string => `_INBOX.${name}`;
/** No runner may have this name: the answers to coordinators are its own. */
export const COORDINATOR = 'coordinator';

const jetStreamApi = '$JS.API';
/**
 * What a runner asks of JetStream it asks under this prefix: the server takes it from the account of the runner into that
 * of the coordinators.
 */
export const RUNNER_API = 'pm.js';

const exports = {
  services: [RPC_SUBJECTS, RESULTS_SUBJECTS, `${jetStreamApi}.CONSUMER.INFO.*.*`, '$JS.ACK.>'],
  streamedServices: [`${jetStreamApi}.CONSUMER.MSG.NEXT.*.*`],
  streams: ['pm.ctl.>'],
} as const;

export interface RunnerKey {
  runnerId: string;
  /** What it may take work of. */
  pools: readonly string[];
  /** The public key of the user, or a `$VARIABLE` of the server's environment that holds it. */
  nkey: string;
}

/** The account of the coordinators: streams, consumers and everything of the product is theirs. */
export const coordinatorAccount = (nkey: string): string =>
  account('coordinators', [
    'jetstream: enabled',
    user(nkey, {
      publish: ['pm.>', `${jetStreamApi}.>`, '$JS.ACK.>', '_INBOX.>', '_R_.>'],
      subscribe: ['pm.>', `${inboxPrefix(COORDINATOR)}.>`],
    }),
    list('exports', [
      ...exports.services.map((subject) => `{ service: ${quoted(subject)} }`),
      ...exports.streamedServices.map((subject) => `{ service: ${quoted(subject)}, response_type: stream }`),
      ...exports.streams.map((subject) => `{ stream: ${quoted(subject)} }`),
    ]),
  ]);

/**
 * The account of a runner, in which nobody else is. It holds what the runner may ask for and hear, and nothing more: also an
 * answer that it has sent to another subject than its own inbox stays in there. In one account with others the server
 * itself would carry such an answer to any subject, and an acknowledgement that arrives at `$JS.API.STREAM.PURGE` purges.
 */
export function runnerAccount({ runnerId, pools, nkey }: RunnerKey): string {
  const asked: { subject: string; to?: string }[] = [
    { subject: rpcSubjects(runnerId) },
    { subject: resultSubjects(runnerId) },
    ...pools.map(workStream).flatMap((stream) => [
      { subject: `$JS.ACK.${stream}.>` },
      ...['CONSUMER.INFO', 'CONSUMER.MSG.NEXT'].map((call) => ({
        subject: `${jetStreamApi}.${call}.${stream}.*`,
        to: `${RUNNER_API}.${call}.${stream}.*`,
      })),
    ]),
  ];
  const heard = [runnerSubject(runnerId), ...pools.map(poolSubject)];
  return account(runnerId, [
    user(nkey, {
      publish: asked.map(({ subject, to }) => to ?? subject),
      subscribe: [`${inboxPrefix(runnerId)}.>`, ...heard],
    }),
    list('imports', [
      ...asked.map(
        (one) =>
          `{ service: ${fromCoordinators(one.subject)}${one.to === undefined ? '' : `, to: ${quoted(one.to)}`} }`,
      ),
      ...heard.map((subject) => `{ stream: ${fromCoordinators(subject)} }`),
    ]),
  ]);
}

/** All accounts of a server. */
export const brokerAccounts = (coordinatorNkey: string, runners: readonly RunnerKey[]): string =>
  `accounts {\n${[coordinatorAccount(coordinatorNkey), ...runners.map(runnerAccount)].join('')}}\n`;

const quoted = (text: string): string => JSON.stringify(text);
const fromCoordinators = (subject: string): string => `{ account: coordinators, subject: ${quoted(subject)} }`;

const account = (name: string, lines: readonly string[]): string =>
  `  ${quoted(name)}: {\n${lines.map((line) => `    ${line}\n`).join('')}  }\n`;

const list = (name: string, items: readonly string[]): string =>
  `${name}: [\n${items.map((item) => `      ${item}\n`).join('')}    ]`;

interface Rights {
  publish: readonly string[];
  subscribe: readonly string[];
}

const user = (nkey: string, { publish, subscribe }: Rights): string =>
  list('users', [
    `{ nkey: ${nkey}, permissions: {\n        publish: [${publish.map(quoted).join(', ')}]\n        subscribe: [${subscribe.map(quoted).join(', ')}]\n      } }`,
  ]);
