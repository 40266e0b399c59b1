import { parseArgs } from 'node:util';
import { Role, Scope } from '@proofmark/contracts/words';
import { createPerson, createTenant } from './access/create-principals.ts';
import { releaseRepository } from './access/release-repository.ts';
import { connect } from './database/connect.ts';
import type { Database } from './database/transactions.ts';
import { readCoordinatorEnvironment } from './environment.ts';

const wrongUsage = 2;
const wrongSettings = 78;
const usage = `Usage:
  tenant NAME                        a tenant, and a first admin token for it
  person TENANT LOGIN                a person of that tenant, and a token that acts for them
    --name TEXT                      how they are called
    --scopes runs:read,runs:write    what the token may do; these unless set
  release HOST NUMBER                takes a repository, by its number on the forge, from its tenant: whoever shows that
                                     it is his gets it next
`;

/** What was asked for; its answer is printed as one line of JSON, the only place where the token ever stands. */
type Made = { ok: true; made: object } | { ok: false; message: string };

async function make(database: Database): Promise<Made> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      ...{ name: { type: 'string' }, role: { type: 'string', default: 'writer' } },
      scopes: { type: 'string', default: 'runs:read,runs:write' },
    },
  });
  const [what, ...names] = positionals;
  if (what === 'tenant' && names.length === 1)
    return asMade(await createTenant(database, { name: names[0] ?? '', mayExist: true }));
  if (what === 'release' && names.length === 2) {
    const [host = '', number = ''] = names;
    const released = await releaseRepository(database, { host, number });
    return released.ok ? released : { ok: false, message: `${released.message}\n` };
  }
  const scopes = Scope.array().safeParse(values.scopes.split(','));
  const role = Role.safeParse(values.role);
  if (what !== 'person' || names.length !== 2 || !scopes.success || !role.success) return { ok: false, message: usage };
  const [tenant = '', login = ''] = names;
  return asMade(
    await createPerson(database, {
      tenant,
      login,
      displayName: values.name ?? null,
      role: role.data,
      scopes: scopes.data,
    }),
  );
}

const asMade = (created: Awaited<ReturnType<typeof createPerson | typeof createTenant>>): Made =>
  created.ok ? { ok: true, made: created.made } : { ok: false, message: `${created.message}\n` };

const reading = readCoordinatorEnvironment();
if (reading.ok) {
  const database = connect(reading.environment);
  try {
    const made = await make(database);
    if (made.ok) process.stdout.write(`${JSON.stringify(made.made)}\n`);
    else {
      process.stderr.write(made.message);
      process.exitCode = wrongUsage;
    }
  } finally {
    await database.close();
  }
} else {
  process.stderr.write(`${reading.problems.join('\n')}\n`);
  process.exitCode = wrongSettings;
}
