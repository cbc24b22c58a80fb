import { Migration } from '@mikro-orm/migrations';

export class Migration20261123031435 extends Migration {

  override name = 'Migration20261123031435';

  override up(): void | Promise<void> {
    this.addSql(`create table "pdf" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "space_id" text collate "C" not null, "key" text collate "C" not null, "scope" jsonb not null, "state" text not null default 'pending', "done" int not null default 0, "total" int null, "source" text collate "C" null, "file" text collate "C" null, "size" int null, "pages" int null, "problem" text null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "pdf_space_id_index" on "pdf" ("space_id");`);
    this.addSql(`create index "pdf_key" on "pdf" ("key", "id");`);
    this.addSql(`create index "pdf_retention" on "pdf" ("expires_at");`);
    this.addSql(`create index "pdf_waiting" on "pdf" ("organization_id") where "state" in ('pending', 'progress');`);
    this.addSql(`create index "pdf_source" on "pdf" ("organization_id", "source") where "source" is not null;`);

    this.addSql(`alter table "pdf" add constraint "pdf_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "pdf" add constraint "pdf_space_id_foreign" foreign key ("space_id") references "space" ("id") on delete cascade;`);
    this.addSql(`alter table "pdf" add constraint "pdf_state_check" check ("state" in ('pending', 'progress', 'complete', 'failed'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "pdf" cascade;`);
  }

}
