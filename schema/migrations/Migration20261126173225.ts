import { Migration } from '@mikro-orm/migrations';

export class Migration20261126173225 extends Migration {

  override name = 'Migration20261126173225';

  override up(): void | Promise<void> {
    this.addSql(`alter table "one_time_token" drop constraint "one_time_token_purpose_check";`);
    this.addSql(`update "one_time_token" set "purpose" = 'invite' where "purpose" = 'invitation';`);
    this.addSql(`alter table "one_time_token" add constraint "one_time_token_purpose_check" check ("purpose" in ('password-reset', 'email-verification', 'invite', 'second-factor', 'oidc', 'saml-request', 'saml-response', 'passkey'));`);
    // Mails that wait to be sent. A new database has no job queues yet.
    this.addSql(`do $$ begin
      if to_regclass('pgboss.job') is not null then
        update pgboss.job set data = data || '{"kind": "invite"}'
        where name = 'send-mail' and state < 'completed' and data ->> 'kind' = 'invitation';
      end if;
    end $$;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "one_time_token" drop constraint "one_time_token_purpose_check";`);
    this.addSql(`update "one_time_token" set "purpose" = 'invitation' where "purpose" = 'invite';`);
    this.addSql(`alter table "one_time_token" add constraint "one_time_token_purpose_check" check ("purpose" in ('password-reset', 'email-verification', 'invitation', 'second-factor', 'oidc', 'saml-request', 'saml-response', 'passkey'));`);
  }

}
