import { Migration } from '@mikro-orm/migrations';

/** Whether an AI configuration asks for its answers as a stream; null where nobody said. */
export class StreamAnswers extends Migration {
  override name = '0015-stream-answers';

  override up(): void {
    this.addSql(`alter table model_configurations add column stream boolean`);
  }
}
