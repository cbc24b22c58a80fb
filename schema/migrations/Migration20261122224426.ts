import { Migration } from '@mikro-orm/migrations';

export class Migration20261122224426 extends Migration {

  override name = 'Migration20261122224426';

  override up(): void | Promise<void> {
    this.addSql(`create table "attempt" ("key" text collate "C" not null, "count" int not null, "expires_at" timestamptz(3) not null, primary key ("key"));`);
    this.addSql(`create index "attempt_expires_at_index" on "attempt" ("expires_at");`);

    this.addSql(`create table "password" ("user_id" text collate "C" not null, "hash" text not null, "changed_at" timestamptz(3) not null, primary key ("user_id"));`);

    this.addSql(`alter table "one_time_token" drop constraint "one_time_token_purpose_check";`);
    this.addSql(`alter table "one_time_token" add constraint "one_time_token_purpose_check" check ("purpose" in ('password-reset', 'email-verification', 'invitation', 'second-factor', 'oidc', 'saml', 'passkey'));`);

    this.addSql(`alter table "password" add constraint "password_user_id_foreign" foreign key ("user_id") references "user" ("id") on update cascade on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "attempt" cascade;`);
    this.addSql(`drop table if exists "password" cascade;`);

    this.addSql(`alter table "one_time_token" drop constraint "one_time_token_purpose_check";`);
    this.addSql(`alter table "one_time_token" add constraint "one_time_token_purpose_check" check ("purpose" in ('sign-in-link', 'password-reset', 'email-verification', 'second-factor', 'oidc', 'saml', 'passkey'));`);
  }

}
