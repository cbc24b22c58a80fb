import { Migration } from '@mikro-orm/migrations';

export class Migration20261121212731 extends Migration {

  override name = 'Migration20261121212731';

  override up(): void | Promise<void> {
    this.addSql(`alter table "change_request" drop constraint "change_request_organization_id_foreign";`);

    this.addSql(`drop index "change_request_organization";`);
    this.addSql(`drop index "change_request_organization_all";`);
    this.addSql(`alter table "change_request" drop column "organization_id";`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "change_request" add "organization_id" text collate "C" not null;`);
    this.addSql(`alter table "change_request" add constraint "change_request_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`create index "change_request_organization" on "change_request" ("organization_id", "status", "id");`);
    this.addSql(`create index "change_request_organization_all" on "change_request" ("organization_id", "id");`);
  }

}
