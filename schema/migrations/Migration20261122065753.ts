import { Migration } from '@mikro-orm/migrations';

export class Migration20261122065753 extends Migration {

  override name = 'Migration20261122065753';

  override up(): void | Promise<void> {
    this.addSql(`create table "page_condition" ("space_id" text collate "C" not null, "page" text collate "C" not null, "title" text not null, "claims" text[] not null, primary key ("space_id", "page"));`);

    this.addSql(`alter table "page_condition" add constraint "page_condition_space_id_foreign" foreign key ("space_id") references "space" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "page_condition" cascade;`);
  }

}
