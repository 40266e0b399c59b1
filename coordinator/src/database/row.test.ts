import { DummyDriver, Kysely, PostgresAdapter, PostgresQueryCompiler, sql } from 'kysely';
import { expect, expectTypeOf, test } from 'vitest';
import { column, type RowOf, selectLike, selectList } from './row.ts';

const compiler = new Kysely<Record<string, never>>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: () => {
      throw new Error('nothing is looked up');
    },
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

const columns = {
  id: column<string>(),
  llmJudgeId: column<string | null>(),
  login: column<string>(sql`u.login`),
};

test('a row is read by the columns that are called as its properties, or by the SQL that stands there', () => {
  const statement = sql`select ${selectList('s', columns)} from test_suite_runs s`.compile(compiler);
  expect(statement.sql).toBe(
    'select "s"."id" as "id", "s"."llm_judge_id" as "llmJudgeId", u.login as "login" from test_suite_runs s',
  );
  expectTypeOf<RowOf<typeof columns>>().toEqualTypeOf<{ id: string; llmJudgeId: string | null; login: string }>();
});

test('the same row out of other tables has its columns in the same order, however they are written down', () => {
  const others = { login: sql`null`, llmJudgeId: sql`l.judge_id`, id: sql`l.test_run_id` };
  expect(selectLike(columns, others).compile(compiler).sql).toBe(
    'l.test_run_id as "id", l.judge_id as "llmJudgeId", null as "login"',
  );
});
