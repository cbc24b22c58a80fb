import { Migration } from '@mikro-orm/migrations';

export class Migration20261122013650 extends Migration {

  override name = 'Migration20261122013650';

  override up(): void | Promise<void> {
    this.addSql(`create table "event_counter" ("organization_id" text collate "C" not null, "last" bigint not null, primary key ("organization_id"));`);

    this.addSql(`create table "event" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "number" bigint not null, "type" text not null, "actor_id" text collate "C" null, "space_id" text collate "C" null, "collection_id" text collate "C" null, "change_request_id" text collate "C" null, "details" jsonb not null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "event_space" on "event" ("space_id", "number") where "space_id" is not null;`);
    this.addSql(`create index "event_retention" on "event" ("created_at");`);
    this.addSql(`alter table "event" add constraint "event_number" unique ("organization_id", "number");`);

    this.addSql(`create table "webhook" ("id" text collate "C" not null, "organization_id" text collate "C" not null, "url" text not null, "description" text not null default '', "types" text[] not null, "space_id" text collate "C" null, "enabled" boolean not null default true, "secret" text not null, "previous_secret" text null, "rotated_at" timestamptz(3) null, "created_at" timestamptz(3) not null, "updated_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "webhook_space_id_index" on "webhook" ("space_id");`);
    this.addSql(`create index "webhook_list" on "webhook" ("organization_id", "id");`);

    this.addSql(`create table "webhook_delivery" ("id" text collate "C" not null, "webhook_id" text collate "C" not null, "type" text not null, "payload" text not null, "status" text not null default 'pending', "attempts" int not null default 0, "next_attempt_at" timestamptz(3) null, "retry_until" timestamptz(3) not null, "attempted_at" timestamptz(3) null, "duration" int null, "response_status" int null, "response_body" text null, "problem" text null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "webhook_delivery_list" on "webhook_delivery" ("webhook_id", "id");`);
    this.addSql(`create index "webhook_delivery_retention" on "webhook_delivery" ("created_at");`);


    this.addSql(`alter table "event_counter" add constraint "event_counter_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on update cascade on delete cascade;`);

    this.addSql(`alter table "event" add constraint "event_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);

    this.addSql(`alter table "webhook" add constraint "webhook_organization_id_foreign" foreign key ("organization_id") references "organization" ("id") on delete cascade;`);
    this.addSql(`alter table "webhook" add constraint "webhook_space_id_foreign" foreign key ("space_id") references "space" ("id") on delete cascade;`);

    this.addSql(`alter table "webhook_delivery" add constraint "webhook_delivery_webhook_id_foreign" foreign key ("webhook_id") references "webhook" ("id") on delete cascade;`);
    this.addSql(`alter table "webhook_delivery" add constraint "webhook_delivery_status_check" check ("status" in ('pending', 'delivered', 'failed'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "webhook_delivery" drop constraint "webhook_delivery_webhook_id_foreign";`);

    this.addSql(`drop table if exists "event_counter" cascade;`);
    this.addSql(`drop table if exists "event" cascade;`);
    this.addSql(`drop table if exists "webhook" cascade;`);
    this.addSql(`drop table if exists "webhook_delivery" cascade;`);

  }

}
