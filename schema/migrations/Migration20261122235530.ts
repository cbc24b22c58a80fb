import { Migration } from '@mikro-orm/migrations';

export class Migration20261122235530 extends Migration {

  override name = 'Migration20261122235530';

  override up(): void | Promise<void> {
    this.addSql(`create table "audit_event" ("log" text collate "C" not null, "id" text collate "C" not null, "action" text not null, "actor_type" text not null, "actor_id" text collate "C" not null, "source" text not null, "target_type" text not null, "target_id" text collate "C" not null, "payload" jsonb not null, "credential_id" text collate "C" null, "request_id" text null, "created_at" timestamptz(3) not null, "person_id" text collate "C" null, "personal" jsonb null, "salt" text null, "personal_digest" text null, "number" bigint null, "hash" text null, primary key ("log", "id"));`);
    this.addSql(`create index "audit_event_actor" on "audit_event" ("log", "actor_id", "id");`);
    this.addSql(`create index "audit_event_action" on "audit_event" ("log", "action", "id");`);
    this.addSql(`create index "audit_event_target" on "audit_event" ("log", "target_id", "id");`);
    this.addSql(`create index "audit_event_target_type" on "audit_event" ("log", "target_type", "id");`);
    this.addSql(`create index "audit_event_unsealed" on "audit_event" ("log", "id") where "number" is null;`);
    this.addSql(`create index "audit_event_person" on "audit_event" ("person_id") where "personal" is not null;`);
    this.addSql(`create unique index audit_event_number on audit_event (log, number) where number is not null;`);

    this.addSql(`create table "audit_log" ("log" text collate "C" not null, "number" bigint not null default '0', "hash" text not null, "sealed_at" timestamptz(3) null, "removed_number" bigint not null default '0', "removed_hash" text not null, primary key ("log"));`);

    this.addSql(`alter table "audit_event" add constraint "audit_event_actor_type_check" check ("actor_type" in ('user', 'system'));`);
    this.addSql(`alter table "audit_event" add constraint "audit_event_source_check" check ("source" in ('ui', 'api', 'script', 'workflow'));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "audit_event" cascade;`);
    this.addSql(`drop table if exists "audit_log" cascade;`);
  }

}
