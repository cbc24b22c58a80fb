import { Migration } from '@mikro-orm/migrations';

export class Migration20261123000712 extends Migration {

  override name = 'Migration20261123000712';

  override up(): void | Promise<void> {
    this.addSql(`create table "totp" ("user_id" text collate "C" not null, "secret" text not null, "confirmed_at" timestamptz(3) null, "last_step" int not null default 0, "created_at" timestamptz(3) not null, primary key ("user_id"));`);

    this.addSql(`create table "recovery_code" ("user_id" text collate "C" not null, "hash" text collate "C" not null, primary key ("user_id", "hash"));`);

    this.addSql(`create table "passkey" ("id" text collate "C" not null, "user_id" text collate "C" not null, "name" text not null, "credential" text not null, "public_key" text not null, "counter" bigint not null, "transports" jsonb not null, "is_synced" boolean not null, "created_at" timestamptz(3) not null, "last_used_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`alter table "passkey" add constraint "passkey_credential_unique" unique ("credential");`);
    this.addSql(`create index "passkey_list" on "passkey" ("user_id", "id");`);

    this.addSql(`create table "user_identity" ("id" text collate "C" not null, "user_id" text collate "C" not null, "issuer" text not null, "subject" text not null, "email" text not null, "created_at" timestamptz(3) not null, "last_used_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "user_identity_list" on "user_identity" ("user_id", "id");`);
    this.addSql(`alter table "user_identity" add constraint "user_identity_subject" unique ("issuer", "subject");`);

    this.addSql(`alter table "organization" add "require_second_factor" boolean not null default false;`);

    this.addSql(`create index "invite_address" on "invite" ("email") where "email" is not null;`);

    this.addSql(`alter table "totp" add constraint "totp_user_id_foreign" foreign key ("user_id") references "user" ("id") on update cascade on delete cascade;`);

    this.addSql(`alter table "recovery_code" add constraint "recovery_code_user_id_foreign" foreign key ("user_id") references "user" ("id") on delete cascade;`);

    this.addSql(`alter table "passkey" add constraint "passkey_user_id_foreign" foreign key ("user_id") references "user" ("id") on delete cascade;`);

    this.addSql(`alter table "user_identity" add constraint "user_identity_user_id_foreign" foreign key ("user_id") references "user" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "totp" cascade;`);
    this.addSql(`drop table if exists "recovery_code" cascade;`);
    this.addSql(`drop table if exists "passkey" cascade;`);
    this.addSql(`drop table if exists "user_identity" cascade;`);

    this.addSql(`drop index "invite_address";`);

    this.addSql(`alter table "organization" drop column "require_second_factor";`);
  }

}
