import { Migration } from '@mikro-orm/migrations';

export class Migration20261122111250 extends Migration {

  override name = 'Migration20261122111250';

  override up(): void | Promise<void> {
    this.addSql(`create index "event_change_request" on "event" ("change_request_id", "number") where "change_request_id" is not null;`);

    this.addSql(`create index site_proxy on site (proxy_origin collate "C") where proxy_origin is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "event_change_request";`);

    this.addSql(`drop index "site_proxy";`);
  }

}
