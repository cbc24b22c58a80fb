import { Migration } from '@mikro-orm/migrations';

export class Migration20261122221711 extends Migration {

  override name = 'Migration20261122221711';

  override up(): void | Promise<void> {
    this.addSql(`create table "session" ("id" text collate "C" not null, "user_id" text collate "C" not null, "hash" text not null, "method" text not null, "provider" text null, "organization_id" text collate "C" null, "second_factor" boolean not null default false, "user_agent" text null, "address" text not null, "created_at" timestamptz(3) not null, "last_seen_at" timestamptz(3) not null, "idle_expires_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`alter table "session" add constraint "session_hash_unique" unique ("hash");`);
    this.addSql(`create index "session_organization_id_index" on "session" ("organization_id");`);
    this.addSql(`create index "session_list" on "session" ("user_id", "id");`);

    this.addSql(`create table "one_time_token" ("hash" text collate "C" not null, "purpose" text not null, "user_id" text collate "C" null, "data" jsonb not null, "created_at" timestamptz(3) not null, "expires_at" timestamptz(3) not null, primary key ("hash"));`);
    this.addSql(`create index "one_time_token_user_id_index" on "one_time_token" ("user_id");`);
    this.addSql(`create index "one_time_token_expires_at_index" on "one_time_token" ("expires_at");`);

    this.addSql(`alter table "user" add "disabled_at" timestamptz(3) null;`);

    this.addSql(`alter table "session" add constraint "session_user_id_foreign" foreign key ("user_id") references "user" ("id") on delete cascade;`);
    this.addSql(`alter table "session" add constraint "session_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "session" add constraint "session_method_check" check ("method" in ('password', 'oidc', 'saml', 'passkey', 'link'));`);

    this.addSql(`alter table "one_time_token" add constraint "one_time_token_user_id_foreign" foreign key ("user_id") references "user" ("id") on delete cascade;`);
    this.addSql(`alter table "one_time_token" add constraint "one_time_token_purpose_check" check ("purpose" in ('sign-in-link', 'password-reset', 'email-verification', 'second-factor', 'oidc', 'saml', 'passkey'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "session" cascade;`);
    this.addSql(`drop table if exists "one_time_token" cascade;`);

    this.addSql(`alter table "user" drop column "disabled_at";`);
  }

}
