import { expect, test } from 'vitest';
import type { PageWorld } from './page-world.ts';

/** What the page says of the base, and of a side on which nothing was scored. */
export function testBase(world: () => PageWorld): void {
  test('many results of a pull request do not stand for the base, and older ones of all cells lead to one cell', async () => {
    const { rows } = world().running;
    const [suite] = await rows<{ id: string }>(`select id from agent_test_suites where name = 'Plant advice'`);
    const crowd = `select (jsonb_populate_record(null::test_suite_runs, to_jsonb(s) || jsonb_build_object(
        'id', gen_random_uuid(), 'cell_key', 'model=crowd-' || n, 'cell', jsonb_build_object('model', 'crowd-' || n)))).*
      from (select * from test_suite_runs where run_id = $1 and suite_id = $2 and variant <> 'baseline' limit 1) s,
        generate_series(1, 70) n`;
    await rows(`insert into test_suite_runs ${crowd}`, [world().runOf(39), suite?.id]);
    const cells = ['gpt-5-mini', 'claude-haiku', 'llama-4'];

    const home = await world().open('/');
    const cards = home.locator('.suite-card', { hasText: 'Plant advice' });
    await cards.first().waitFor();
    expect(await cards.count()).toBe(cells.length);
    for (const cell of cells) expect(await cards.filter({ hasText: cell }).count()).toBe(1);

    const trend = await world().open(`/suites/${suite?.id}`);
    await trend.getByRole('checkbox').first().waitFor();
    expect(await trend.locator('tbody').innerText()).not.toContain('#39');
    await trend.getByLabel('Branches').selectOption('1');
    await trend
      .getByRole('rowheader', { name: /#39 · crowd/ })
      .first()
      .waitFor();
    await trend.getByRole('button', { name: 'Older results' }).click();
    await trend.getByRole('button', { name: 'Newest results' }).waitFor();
    const [one] = await rows<{ key: string }>(
      `select cell_key as key from test_suite_runs where cell_key like '%llama-4'`,
    );
    await trend.getByLabel('Cell').selectOption(one?.key ?? '');
    await trend.getByRole('rowheader', { name: /#39 · llama-4/ }).waitFor();
    expect(await trend.getByRole('alert').count()).toBe(0);
    await rows(`delete from test_suite_runs where run_id = $1 and cell_key like 'model=crowd-%'`, [world().runOf(39)]);
  });

  test('Compare calls no case the same that was not scored on the head', async () => {
    const [first] = world().told;
    const page = await world().open(`/compare?base=${first?.id}&head=${world().runOf(37)}`);
    const support = page.getByRole('region', { name: 'Support desk' });
    await support.getByText('Nothing was scored on the head.').waitFor();
    await support.getByText('! error').first().waitFor();
    expect(await page.locator('main').innerText()).not.toContain('Every case passed as often');
    expect(await page.locator('main').innerText()).not.toContain('→ 0%');
  });
}
