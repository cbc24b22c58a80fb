import { Migration } from '@mikro-orm/migrations';

export class Migration20261122042036 extends Migration {

  override name = 'Migration20261122042036';

  override up(): void | Promise<void> {
    this.addSql(`alter table "site_redirect" add "imported_with_id" text collate "C" null;`);
    this.addSql(`alter table "site_redirect" add constraint "site_redirect_imported_with_id_foreign" foreign key ("imported_with_id") references "space" ("id") on delete cascade;`);
    this.addSql(`create index "site_redirect_imported_with_id_index" on "site_redirect" ("imported_with_id");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "site_redirect" drop constraint "site_redirect_imported_with_id_foreign";`);

    this.addSql(`drop index "site_redirect_imported_with_id_index";`);
    this.addSql(`alter table "site_redirect" drop column "imported_with_id";`);
  }

}
