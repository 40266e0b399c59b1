import { type EntityCtor, p } from '@mikro-orm/core';
import { Tenant } from './tenant.ts';

/** The first half of the primary key of everything that belongs to a tenant. */
export const tenantId = () => p.manyToOne(Tenant).mapToPk().primary().joinColumn('tenant_id').deleteRule('cascade');

/** The same for cases and what is written once for each test run: the row that it is part of says whose it is, so nothing is checked twice. */
export const tenantOfWhole = () => tenantId().createForeignKeyConstraint(false);

/** A row of the same tenant: foreign keys ignore row-level security, so each one carries the tenant. */
export const belongsTo = <Target extends EntityCtor>(target: Target, column: string) =>
  p.manyToOne(target).ref().joinColumns('tenant_id', column).ownColumns(column).updateRule('no action');

/** Gone with the row it belongs to. */
export const partOf = <Target extends EntityCtor>(target: Target, column: string) =>
  belongsTo(target, column).deleteRule('cascade');

/** Forgotten when the other row goes; without the column list Postgres would set the tenant to null as well. */
export const mayReferTo = <Target extends EntityCtor>(target: Target, column: string) =>
  belongsTo(target, column).nullable().deleteRule(`set null (${column})`);

export const id = () => p.uuid().primary().defaultRaw('gen_random_uuid()');

export const time = () => p.datetime().columnType('timestamptz');

export const createdAt = () => time().defaultRaw('now()');

/** Set anew by every flush that changes the row; raw SQL sets it itself. */
export const updatedAt = () =>
  time()
    .defaultRaw('now()')
    .onUpdate(() => new Date());

/** Null: the row exists. Otherwise it is hidden and kept for the results that point at it. */
export const deletedAt = () => time().nullable();

/** Text of any length: what a user or a model wrote. */
export const text = () => p.text();

export const count = () => p.integer().default(0);
