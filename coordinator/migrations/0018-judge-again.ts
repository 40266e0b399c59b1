import { Migration } from '@mikro-orm/migrations';

/** Stored answers of the base may be judged again beside a head that brings another judge. */
export class JudgeAgain extends Migration {
  override name = '0018-judge-again';

  override up(): void {
    this.addSql(`alter table test_suite_runs drop constraint test_suite_runs_purpose_check,
      add constraint test_suite_runs_purpose_check check (purpose in ('first', 'confirm', 'drift', 'rejudge'))`);
  }
}
