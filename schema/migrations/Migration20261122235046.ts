import { Migration } from '@mikro-orm/migrations';

export class Migration20261122235046 extends Migration {

  override name = 'Migration20261122235046';

  override up(): void | Promise<void> {
    this.addSql(`create table "saml_identity" ("provider_id" text collate "C" not null, "name_id" text not null, "user_id" text collate "C" not null, "created_at" timestamptz(3) not null, primary key ("provider_id", "name_id"));`);
    this.addSql(`alter table "saml_identity" add constraint "saml_identity_user" unique ("user_id", "provider_id");`);

    this.addSql(`alter table "one_time_token" drop constraint "one_time_token_purpose_check";`);
    this.addSql(`alter table "one_time_token" add constraint "one_time_token_purpose_check" check ("purpose" in ('password-reset', 'email-verification', 'invitation', 'second-factor', 'oidc', 'saml-request', 'saml-response', 'passkey'));`);

    this.addSql(`alter table "api_token" add "organization_id" text collate "C" null;`);
    this.addSql(`alter table "api_token" add constraint "api_token_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`create index "api_token_organization_id_index" on "api_token" ("organization_id");`);

    this.addSql(`alter table "saml_identity" add constraint "saml_identity_provider_id_foreign" foreign key ("provider_id") references "saml_provider" ("id") on delete cascade;`);
    this.addSql(`alter table "saml_identity" add constraint "saml_identity_user_id_foreign" foreign key ("user_id") references "user" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "saml_identity" cascade;`);

    this.addSql(`alter table "api_token" drop constraint "api_token_organization_id_foreign";`);

    this.addSql(`drop index "api_token_organization_id_index";`);
    this.addSql(`alter table "api_token" drop column "organization_id";`);

    this.addSql(`alter table "one_time_token" drop constraint "one_time_token_purpose_check";`);
    this.addSql(`alter table "one_time_token" add constraint "one_time_token_purpose_check" check ("purpose" in ('password-reset', 'email-verification', 'invitation', 'second-factor', 'oidc', 'saml', 'passkey'));`);
  }

}
