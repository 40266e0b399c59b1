import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { Agent } from 'undici';
import { isPublicAddress } from './public-address.ts';

/* Apart from what says which addresses are public: that is asked by the first step of a job, which need not load undici. */

/** Looks a name up; `node:dns` unless a test says otherwise. */
export type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Connects to public addresses only; the checked address is the one that is used, so a second DNS answer changes nothing. */
export function guardedAgent(resolve: Resolve = lookup): Agent {
  return new Agent({
    connect: {
      lookup: (hostname, options, done) => {
        resolve(hostname, { ...options, all: true }, (error, addresses) => {
          if (error) return done(error, []);
          const refused = addresses.find(({ address }) => !isPublicAddress(address));
          if (refused) return done(new Error(`${hostname} is not a public address`), []);
          const [first] = addresses;
          return options.all || !first ? done(null, addresses) : done(null, first.address, first.family);
        });
      },
    },
  });
}
