import { Migration } from '@mikro-orm/migrations';

export class Migration20261122003456 extends Migration {

  override name = 'Migration20261122003456';

  override up(): void | Promise<void> {
    this.addSql(`create table "import_branch" ("id" text collate "C" not null, "space_id" text collate "C" not null, "source" text collate "C" not null, "revision_id" text collate "C" not null, "revision_merged_id" text collate "C" not null, "change_request_id" text collate "C" null, "reading" text null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "import_branch_revision_id_index" on "import_branch" ("revision_id");`);
    this.addSql(`create index "import_branch_revision_merged_id_index" on "import_branch" ("revision_merged_id");`);
    this.addSql(`create index "import_branch_change_request_id_index" on "import_branch" ("change_request_id");`);
    this.addSql(`create unique index import_branch_source on import_branch (space_id, md5(source));`);

    this.addSql(`alter table "import_branch" add constraint "import_branch_space_id_foreign" foreign key ("space_id") references "space" ("id") on delete cascade;`);
    this.addSql(`alter table "import_branch" add constraint "import_branch_revision_id_foreign" foreign key ("revision_id") references "revision" ("id");`);
    this.addSql(`alter table "import_branch" add constraint "import_branch_revision_merged_id_foreign" foreign key ("revision_merged_id") references "revision" ("id");`);
    this.addSql(`alter table "import_branch" add constraint "import_branch_change_request_id_foreign" foreign key ("change_request_id") references "change_request" ("id") on delete set null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "import_branch" cascade;`);
  }

}
