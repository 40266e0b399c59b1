import { z } from 'zod';
import { brokerAddresses } from '../environment/variable-kinds.ts';

/** How a process reaches the broker and says who it is: the same variables for coordinators and runners. */
export const brokerVariables = {
  NATS_URL: brokerAddresses.describe(
    'NATS with JetStream; several servers are separated by commas. User and password, or a token, may stand in the first one',
  ),
  PROOFMARK_NATS_SEED: z
    .string()
    .regex(
      /^SU[A-Z2-7]{56}$/,
      'must be the seed of a NATS user as `runner-key` prints it: SU and 56 letters and digits',
    )
    .optional()
    .describe('Secret half of the key that this process logs in to NATS with. Absent: the login in NATS_URL, or none'),
  PROOFMARK_NATS_CA_FILE: z
    .string()
    .regex(/^\S(.*\S)?$/, 'must be the path of a PEM file, such as /run/secrets/ca.pem')
    .optional()
    .describe('PEM file of the authority that signed the certificate of NATS. Absent: those that Node knows'),
};

/** Variables of these that are never shown, and may be read from the file that `<NAME>_FILE` names. */
export const brokerSecrets = ['NATS_URL', 'PROOFMARK_NATS_SEED'] as const;

export interface BrokerLogin {
  NATS_URL: string;
  PROOFMARK_NATS_SEED?: string | undefined;
  PROOFMARK_NATS_CA_FILE?: string | undefined;
}

/** The addresses and the login of a connection, but for the signature that proves a key. */
export function brokerOptions({ NATS_URL, PROOFMARK_NATS_CA_FILE: caFile }: BrokerLogin) {
  const servers = NATS_URL.split(',').map((url) => new URL(url));
  const isEncrypted = caFile !== undefined || servers.some(({ protocol }) => protocol === 'tls:');
  return {
    servers: servers.map(({ protocol, host }) => `${protocol}//${host}`),
    ...loginOf(servers[0]),
    ...(isEncrypted ? { tls: caFile === undefined ? {} : { caFile } } : {}),
  };
}

/** The machines of the servers. */
export const brokerHosts = (urls: string): string[] => urls.split(',').map((url) => new URL(url).hostname);

function loginOf(url: URL | undefined): { user: string; pass: string } | { token: string } | Record<string, never> {
  const user = decodeURIComponent(url?.username ?? '');
  const pass = decodeURIComponent(url?.password ?? '');
  if (pass !== '') return { user, pass };
  return user === '' ? {} : { token: user };
}
