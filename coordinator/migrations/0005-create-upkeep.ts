import { Migration } from '@mikro-orm/migrations';

const deadLetters = [
  `create table dead_letters (
    id uuid not null default gen_random_uuid(),
    subject text not null,
    reason text not null,
    payload text not null,
    created_at timestamptz not null default now(),
    primary key (id)
  )`,
  `create index dead_letters_created_at_idx on dead_letters (created_at)`,
];

const coordinatorBeats = [
  `create table coordinator_beats (
    id text not null,
    beat_at timestamptz not null default now(),
    primary key (id)
  )`,
];

const usedTokenIds = [
  `create table used_token_ids (
    jti text not null,
    expires_at timestamptz not null,
    primary key (jti)
  )`,
  `create index used_token_ids_expires_idx on used_token_ids (expires_at)`,
];

const webhookDeliveries = [
  `create table webhook_deliveries (
    delivery_id text not null,
    received_at timestamptz not null default now(),
    primary key (delivery_id)
  )`,
  `create index webhook_deliveries_received_idx on webhook_deliveries (received_at)`,
];

const installationPace = [
  `create table installation_pace (
    key text not null,
    next_write_at timestamptz not null default now(),
    primary key (key)
  )`,
];

/** What the loops remember. No tenant owns these rows, and requests cannot see them. */
export class CreateUpkeep extends Migration {
  override name = '0005-create-upkeep';

  override up(): void {
    for (const sql of [...deadLetters, ...coordinatorBeats, ...usedTokenIds, ...webhookDeliveries, ...installationPace])
      this.addSql(sql);
  }
}
