import { Migration } from '@mikro-orm/migrations';

export class Migration20261122190243 extends Migration {

  override name = 'Migration20261122190243';

  override up(): void | Promise<void> {
    // Its name is that of the table now.
    this.addSql(`drop index "site_proxy";`);
    this.addSql(`create table "site_proxy" ("site_id" text collate "C" not null, "organization_id" text collate "C" not null, "hostname" text collate "C" not null, "origin" text collate "C" not null, "is_active" boolean not null default false, "is_verified" boolean not null default false, "checked_at" timestamptz(3) null, "failing_since" timestamptz(3) null, "check_at" timestamptz(3) not null default now(), "error" text null, "created_at" timestamptz(3) not null, primary key ("site_id"));`);
    this.addSql(`create unique index site_proxy_active on site_proxy (origin) where is_active;`);
    this.addSql(`create index "site_proxy_hostname" on "site_proxy" ("hostname");`);
    this.addSql(`create index "site_proxy_check" on "site_proxy" ("check_at");`);
    this.addSql(`alter table "site_proxy" add constraint "site_proxy_once" unique ("organization_id", "origin");`);

    // Those that were set work on; the first checks are spread over a day.
    this.addSql(`insert into site_proxy (site_id, organization_id, hostname, origin, is_active, check_at, created_at)
      select id, organization_id, split_part(proxy_origin, '/', 1), proxy_origin,
        not exists (
          select from custom_hostname
          where custom_hostname.hostname = split_part(proxy_origin, '/', 1) and custom_hostname.is_active
            and custom_hostname.organization_id <> site.organization_id),
        now() + random() * interval '1 day', created_at
      from site where proxy_origin is not null;`);
    this.addSql(`alter table "site" drop constraint "site_proxy_origin_unique";`);
    this.addSql(`alter table "site" drop column "proxy_origin";`);

    this.addSql(`alter table "custom_hostname" drop constraint "custom_hostname_pkey";`);
    this.addSql(`alter table "custom_hostname" add "failing_since" timestamptz(3) null, add "check_at" timestamptz(3) not null default now();`);
    this.addSql(`update custom_hostname set check_at = now() + random() * interval '1 day';`);
    this.addSql(`create unique index custom_hostname_active on custom_hostname (hostname) where is_active;`);
    this.addSql(`create index "custom_hostname_check" on "custom_hostname" ("check_at");`);
    this.addSql(`alter table "custom_hostname" add primary key ("hostname", "organization_id");`);

    this.addSql(`alter table "site_proxy" add constraint "site_proxy_site_id_foreign" foreign key ("site_id") references "site" ("id") on update cascade on delete cascade;`);
    this.addSql(`alter table "site_proxy" add constraint "site_proxy_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "custom_hostname_active";`);
    this.addSql(`drop index "custom_hostname_check";`);
    this.addSql(`alter table "custom_hostname" drop constraint "custom_hostname_pkey";`);
    this.addSql(`alter table "custom_hostname" drop column "failing_since", drop column "check_at";`);
    // Only one claim to each hostname can stay.
    this.addSql(`delete from custom_hostname where (hostname, organization_id) not in (
      select distinct on (hostname) hostname, organization_id from custom_hostname
      order by hostname, is_active desc, created_at, organization_id);`);
    this.addSql(`alter table "custom_hostname" add primary key ("hostname");`);

    this.addSql(`alter table "site" add "proxy_origin" text null;`);
    this.addSql(`update site set proxy_origin = site_proxy.origin
      from site_proxy where site_proxy.site_id = site.id and site_proxy.is_active;`);
    this.addSql(`drop table if exists "site_proxy" cascade;`);
    this.addSql(`create index site_proxy on site (proxy_origin collate "C") where proxy_origin is not null;`);
    this.addSql(`alter table "site" add constraint "site_proxy_origin_unique" unique ("proxy_origin");`);
  }

}
