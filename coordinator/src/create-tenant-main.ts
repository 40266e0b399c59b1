import { sql } from 'kysely';
import { ensureTenant } from './access/ensure-tenant.ts';
import { hashToken, newToken } from './access/token.ts';
import { connect } from './database/connect.ts';
import { asWorker } from './database/transactions.ts';
import { readCoordinatorEnvironment } from './environment.ts';

const wrongUsage = 2;
const wrongSettings = 78;

/** `node create-tenant-main.ts NAME` makes a tenant and prints an admin token for it: the only way to a second tenant. */
async function createTenant(name: string): Promise<void> {
  const reading = readCoordinatorEnvironment();
  if (!reading.ok) {
    process.stderr.write(`${reading.problems.join('\n')}\n`);
    process.exitCode = wrongSettings;
    return;
  }
  const database = await connect(reading.environment);
  try {
    const { tenantId, userId } = await ensureTenant(database, name, 'admin');
    const token = newToken('api');
    await asWorker(database, async (em) => {
      await sql`
        insert into api_tokens (tenant_id, name, token_hash, kind, scopes, user_id)
        values (${tenantId}, 'first admin', ${hashToken(token)}, 'api', array['admin'], ${userId})`.execute(
        em.getKysely(),
      );
    });
    process.stdout.write(`${JSON.stringify({ tenant: name, tenantId, token })}\n`);
  } finally {
    await database.close();
  }
}

const name = process.argv[2] ?? '';
if (/^[a-z0-9-]{1,40}$/.test(name)) await createTenant(name);
else {
  process.stderr.write('Usage: create-tenant-main.ts NAME   (1 to 40 of a-z, 0-9 and -)\n');
  process.exitCode = wrongUsage;
}
