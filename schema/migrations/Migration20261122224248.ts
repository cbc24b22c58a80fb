import { Migration } from '@mikro-orm/migrations';

export class Migration20261122224248 extends Migration {

  override name = 'Migration20261122224248';

  override up(): void | Promise<void> {
    this.addSql(`alter table "embed" add "answered_in" text[] null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "embed" drop column "answered_in";`);
  }

}
