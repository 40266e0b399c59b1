import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// A test that needs the shared Postgres and NATS is a flow; *.db.test.ts lies beside the code that it tests.
const flows = ['tests/flows/**/*.test.ts', 'coordinator/src/**/*.db.test.ts'];
const stack = ['tests/stack/**/*.test.ts'];
const packages = '{contracts,domain,process,client,embedded,action,cli,coordinator,runner-agent,dashboard}';

/** Files of few lines that take long. */
const long = ['tests/simulation/simulation.test.ts'];

/** Vitest begins with the largest files of a project while it knows no times: what is short and takes long would go on alone at the end. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = new Set(sorted.map(({ project }) => project));
    return [...projects].flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      const isLong = ({ moduleId }: TestSpecification) => long.some((path) => moduleId.endsWith(path));
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))];
    });
  }
}

/**
 * Packages are loaded as Node loads them. A test runner would take the copy that GraphQL has for development, beside the one
 * that the packages around it load, and the two refuse each other's types.
 */
const asNodeLoads = { resolve: { conditions: ['module', 'node'] } };

/** @public vitest reads it */
export default defineConfig({
  test: {
    // Two cores are the smallest machine this must be comfortable on. Flows spend half of their time waiting, for leases, pauses
    // and processes that start, so two more files have room beside two.
    maxWorkers: 4,
    // A file leaves nothing behind for the next one, and loading the sources anew for each took most of the time.
    isolate: false,
    sequence: { sequencer: LongFirst },
    reporters: ['default'],
    projects: [
      {
        ssr: asNodeLoads,
        test: {
          name: 'unit',
          // Some start the command line as a process of its own, on a machine that may be busy.
          testTimeout: 120_000,
          include: [`${packages}/src/**/*.test.ts`, 'tests/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...flows, ...stack],
        },
      },
      {
        test: {
          name: 'stack',
          include: stack,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        ssr: asNodeLoads,
        test: {
          name: 'flows',
          include: flows,
          exclude: ['**/node_modules/**'],
          globalSetup: ['tests/stack/global-setup.ts'],
          // Ends what hangs; no claim of any test. A claim about time says its own.
          testTimeout: 150_000,
          expect: { poll: { timeout: 60_000 } },
          hookTimeout: 150_000,
        },
      },
    ],
  },
});
