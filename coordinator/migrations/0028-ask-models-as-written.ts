import { Migration } from '@mikro-orm/migrations';

/** What an AI configuration says of how its model is asked; null: nothing. */
export class AskModelsAsWritten extends Migration {
  override name = '0028-ask-models-as-written';

  override up(): void {
    this.addSql(`alter table model_configurations
      add column seed integer null, add column reasoning_effort text null,
      add column structured_output text null, add column log_probabilities boolean null`);
  }
}
