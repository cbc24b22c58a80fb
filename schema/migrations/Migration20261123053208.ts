import { Migration } from '@mikro-orm/migrations';

export class Migration20261123053208 extends Migration {

  override name = 'Migration20261123053208';

  override up(): void | Promise<void> {
    this.addSql(`alter table "search_document" add "includes" text[] not null default '{}';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "search_document" drop column "includes";`);
  }

}
