import { Migration } from '@mikro-orm/migrations';

export class Migration20261122050923 extends Migration {

  override name = 'Migration20261122050923';

  override up(): void | Promise<void> {
    this.addSql(`create table "api_outline" ("hash" text collate "C" not null, "format" int not null, "body" json null, "created_at" timestamptz(3) not null, primary key ("hash"));`);

    this.addSql(`create table "openapi_spec_page" ("organization_id" text collate "C" not null, "slug" text collate "C" not null, "path" text collate "C" not null, "key" text not null, "title" text not null, "version" text collate "C" not null, primary key ("organization_id", "slug", "path"));`);

    this.addSql(`alter table "document_link" add "part" jsonb null;`);

    this.addSql(`alter table "openapi_spec_page" add constraint "openapi_spec_page_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "api_outline" cascade;`);
    this.addSql(`drop table if exists "openapi_spec_page" cascade;`);

    this.addSql(`alter table "document_link" drop column "part";`);
  }

}
