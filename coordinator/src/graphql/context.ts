import type { Caller } from '../access/caller.ts';
import type { EnrolmentPorts } from '../access/enroll-repository.ts';
import type { JobIdentity } from '../access/identify-job.ts';
import type { AlertPorts } from '../alerts/deliver-alert.ts';
import type { Database } from '../database/transactions.ts';
import type { SettingVariables } from '../settings/known-settings.ts';
import type { StartRunPorts } from '../start/start-run.ts';
import { graphqlError } from './graphql-error.ts';
import type { DownloadLinks } from './runs/download-links.ts';
import type { OpenSubscriptions } from './runs/open-subscriptions.ts';

/** Who sends a request: somebody with one of our tokens, or a CI job that has only the token of its issuer yet. */
export type Identity = { kind: 'caller'; caller: Caller } | { kind: 'job'; job: JobIdentity };

/** What the schema needs of the rest of the coordinator. */
export interface GraphqlPorts {
  database: Database;
  publicUrl: string;
  /** Web address of the forge, for links to files. */
  forgeUrl: (host: string | null) => string;
  /** Everything that starting a run needs beside the caller. */
  starting: StartRunPorts;
  cursorKey: Buffer;
  /** Sends the first tasks of a run on their way; the answer says whether the broker is there. */
  runStarted: (tenantId: string, runId: string) => 'IMMEDIATE' | 'DELAYED';
  /** Tells runners and subscribers; they learn it from the ledger anyway. */
  runCancelled: (tenantId: string, runId: string) => void;
  /** A hint whenever something changed in the run, or in any run (null), and every few seconds without one; ends with the signal. */
  runChanges: (tenantId: string, runId: string | null, signal: AbortSignal) => AsyncIterable<void>;
  subscriptions: OpenSubscriptions;
  /** Links to results as files. */
  downloads: DownloadLinks;
  enrolment: EnrolmentPorts;
  /** Whether the coordinator has an App that can write checks and comments. */
  hasApp: (host: string) => boolean;
  /** What channels of alerts are made with; `wake`: something is to be sent. */
  alerts: Pick<AlertPorts, 'sealingKey' | 'signingKey' | 'allowedOrigins' | 'mail' | 'feedback'> & { wake: () => void };
  /** What the environment says about settings that are not stored. */
  settingVariables: SettingVariables;
}

export interface GraphqlContext {
  identity: Identity;
  ports: GraphqlPorts;
  signal: AbortSignal;
}

/** The caller of a field that needs one of our tokens; a job's own token opens nothing but `exchangeToken`. */
export function callerOf({ identity }: GraphqlContext): Caller {
  if (identity.kind === 'caller') return identity.caller;
  throw graphqlError('FORBIDDEN', 'Exchange the token of the job with exchangeToken first.');
}
