import { defineEntity, p } from '@mikro-orm/core';
import { partOf, tenantOfWhole, text, time } from './columns.ts';
import { indexOn } from './index-on.ts';
import { forWorker, tenantIsolation } from './tenant-policies.ts';
import { TestSuiteRun } from './test-suite-run.ts';

const SuiteRunFacetSchema = defineEntity({
  name: 'SuiteRunFacet',
  tableName: 'suite_run_facets',
  rowLevelSecurity: 'force',
  policies: [tenantIsolation, forWorker],
  indexes: [
    // Whatever is asked for by what it is about comes in the order of time.
    indexOn('suite_run_facets_time_idx', 'suite_run_facets', ['facet', 'created_at', 'run_id']),
  ],
  properties: {
    tenantId: tenantOfWhole,
    suiteRun: () => partOf(TestSuiteRun, 'suite_run_id').primary(),
    facet: text().primary(),
    runId: p.uuid(),
    /** Of the suite run. */
    createdAt: time(),
  },
});

/** What a suite run is about, in words that lists are filtered by. A table of its own: row-level security keeps an index on a list of words unused. */
export class SuiteRunFacet extends SuiteRunFacetSchema.class {}
SuiteRunFacetSchema.setClass(SuiteRunFacet);
