/**
 * SQL of what the suite run `s` has cost in US dollars: every attempt with its judges and simulated users, and for a first
 * look also what settling its suspicion or following its drift took. Null when nothing had a known price.
 */
export const spentUsdOfSuiteRun = `(
  select sum(o.spent_usd) from test_suite_runs o
  where o.tenant_id = s.tenant_id and o.run_id = s.run_id and o.suite_id = s.suite_id and o.cell_key = s.cell_key
    and o.variant = s.variant and (o.id = s.id or s.purpose = 'first'))`;

/** The same of the run `r`: all of its suites, cells and sides. */
export const spentUsdOfRun = `(
  select sum(o.spent_usd) from test_suite_runs o where o.tenant_id = r.tenant_id and o.run_id = r.id)`;
