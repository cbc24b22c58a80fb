import { Migration } from '@mikro-orm/migrations';

export class Migration20261122203628 extends Migration {

  override name = 'Migration20261122203628';

  override up(): void | Promise<void> {
    this.addSql(`create table "saml_provider" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "label" text not null, "entity_id" text not null default '', "sso_url" text not null default '', "certificate" text not null default '', "default_team_id" text collate "C" null, "default_role" text null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "saml_provider_default_team_id_index" on "saml_provider" ("default_team_id");`);
    this.addSql(`create index "saml_provider_list" on "saml_provider" ("organization_id", "id");`);

    this.addSql(`create table "invite" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "email" text null, "hash" text null, "role" text null, "team_id" text collate "C" null, "collection_id" text collate "C" null, "space_id" text collate "C" null, "level" text null, "sso" boolean not null default false, "single_use" boolean not null default false, "expires_at" timestamptz(3) null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`alter table "invite" add constraint "invite_hash_unique" unique ("hash");`);
    this.addSql(`create index "invite_team_id_index" on "invite" ("team_id");`);
    this.addSql(`create index "invite_collection_id_index" on "invite" ("collection_id");`);
    this.addSql(`create index "invite_space_id_index" on "invite" ("space_id");`);
    this.addSql(`create index "invite_email_list" on "invite" ("organization_id", "id") where "email" is not null;`);
    this.addSql(`create index "invite_link_list" on "invite" ("organization_id", "id") where "hash" is not null;`);
    this.addSql(`alter table "invite" add constraint "invite_email" unique ("organization_id", "email");`);

    this.addSql(`create index organization_email_domains on organization using gin (email_domains);`);

    this.addSql(`alter table "saml_provider" add constraint "saml_provider_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "saml_provider" add constraint "saml_provider_default_team_id_foreign" foreign key ("default_team_id") references "team" ("id") on delete set null;`);
    this.addSql(`alter table "saml_provider" add constraint "saml_provider_default_role_check" check ("default_role" in ('admin', 'create', 'review', 'edit', 'comment', 'read'));`);

    this.addSql(`alter table "invite" add constraint "invite_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "invite" add constraint "invite_team_id_foreign" foreign key ("team_id") references "team" ("id") on delete set null;`);
    this.addSql(`alter table "invite" add constraint "invite_collection_id_foreign" foreign key ("collection_id") references "collection" ("id") on delete cascade;`);
    this.addSql(`alter table "invite" add constraint "invite_space_id_foreign" foreign key ("space_id") references "space" ("id") on delete cascade;`);
    this.addSql(`alter table "invite" add constraint "invite_holder" check (num_nonnulls(email, hash) = 1);`);
    this.addSql(`alter table "invite" add constraint "invite_level" check (num_nonnulls(collection_id, space_id) = num_nonnulls(level));`);
    this.addSql(`alter table "invite" add constraint "invite_role_check" check ("role" in ('admin', 'create', 'review', 'edit', 'comment', 'read'));`);
    this.addSql(`alter table "invite" add constraint "invite_level_check" check ("level" in ('admin', 'create', 'review', 'edit', 'comment', 'read'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "saml_provider" cascade;`);
    this.addSql(`drop table if exists "invite" cascade;`);

    this.addSql(`drop index "organization_email_domains";`);
  }

}
