import 'vitest';
import type { Programs } from './programs.ts';

declare module 'vitest' {
  // What global-setup.ts provides to the test files of the projects that name it.
  interface ProvidedContext {
    /** A superuser on the shared Postgres: create a database of your own there. */
    postgresUrl: string;
    /** A database there with the schema of this version and no rows, for copies: nobody may be connected to it. */
    migratedDatabase: string;
    /** The shared NATS server: use stream and subject names of your own. */
    natsUrl: string;
    /** Coordinator, runner and command as they are shipped. */
    programs: Programs;
  }
}
