import type { GithubServer } from '../stack/github-server.ts';
import type { Product } from '../stack/product.ts';
import { signInLink } from '../stack/sign-in-link.ts';
import type { Narrator } from './narrate.ts';

interface Running {
  narrator: Narrator;
  product: Product;
  github: GithubServer;
  runId: string;
  logFile: string;
}

/** Says where everything is, and waits for Ctrl-C. */
export async function waitForInterrupt({ narrator, product, github, runId, logFile }: Running): Promise<void> {
  narrator.title('Everything keeps running; Ctrl-C stops it');
  narrator.say(`  page         ${await signInLink(product, `/runs/${runId}`)} (signs in once, within 15 minutes)`);
  narrator.say(`  GraphQL      ${product.url}/graphql`);
  narrator.say(`  token        ${product.token}`);
  narrator.say(`  GitHub       ${github.apiUrl}`);
  narrator.say(`  log          ${logFile}`);
  await new Promise<void>((resolve) => {
    // Not once: npm may pass on a Ctrl-C that the terminal has sent here already.
    process.on('SIGINT', () => resolve());
    process.on('SIGTERM', () => resolve());
  });
  narrator.say('\nStopping');
}
