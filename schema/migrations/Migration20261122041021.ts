import { Migration } from '@mikro-orm/migrations';

export class Migration20261122041021 extends Migration {

  override name = 'Migration20261122041021';

  override up(): void | Promise<void> {
    this.addSql(`alter table "event" add "site_id" text collate "C" null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "event" drop column "site_id";`);
  }

}
