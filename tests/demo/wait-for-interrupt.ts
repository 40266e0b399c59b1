import type { GithubServer } from '../stack/github-server.ts';
import type { Product } from '../stack/product.ts';
import { signInLink } from '../stack/sign-in-link.ts';
import type { Narrator } from './narrate.ts';

interface Running {
  narrator: Pick<Narrator, 'say' | 'title'>;
  product: Pick<Product, 'url' | 'token'>;
  github: Pick<GithubServer, 'apiUrl'>;
  runId: string;
  logFile: string;
}

/** Says where everything is. */
export async function tellPlaces({ narrator, product, github, runId, logFile }: Running): Promise<void> {
  narrator.title('Everything keeps running; Ctrl-C stops it');
  narrator.say(`  page         ${await signInLink(product, `/runs/${runId}`)} (signs in once, within 15 minutes)`);
  narrator.say(`  GraphQL      ${product.url}/graphql`);
  narrator.say(`  token        ${product.token}`);
  narrator.say(`  GitHub       ${github.apiUrl}`);
  narrator.say(`  log          ${logFile}`);
}

/** The same, until Ctrl-C. */
export async function waitForInterrupt(running: Running): Promise<void> {
  await tellPlaces(running);
  await new Promise<void>((resolve) => {
    // Not once: npm may pass on a Ctrl-C that the terminal has sent here already.
    process.on('SIGINT', () => resolve());
    process.on('SIGTERM', () => resolve());
  });
  running.narrator.say('\nStopping');
}
