import { Migration } from '@mikro-orm/migrations';

export class Migration20261126211021 extends Migration {

  override name = 'Migration20261126211021';

  override up(): void | Promise<void> {
    this.addSql(`create table "earlier_slug" ("space_id" text collate "C" not null, "parent" text collate "C" not null, "slug" text collate "C" not null, "page" text collate "C" not null, "condition" text null, "changed_at" timestamptz(3) not null, primary key ("space_id", "parent", "slug", "page"));`);

    this.addSql(`alter table "earlier_slug" add constraint "earlier_slug_space_id_foreign" foreign key ("space_id") references "space" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "earlier_slug" cascade;`);
  }

}
