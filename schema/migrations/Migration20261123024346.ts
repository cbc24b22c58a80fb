import { Migration } from '@mikro-orm/migrations';

export class Migration20261123024346 extends Migration {

  override name = 'Migration20261123024346';

  override up(): void | Promise<void> {
    this.addSql(`alter table "search_index" add "generation" int not null default 0;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "search_index" drop column "generation";`);
  }

}
