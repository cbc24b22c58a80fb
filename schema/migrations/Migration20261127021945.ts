import { Migration } from '@mikro-orm/migrations';

export class Migration20261127021945 extends Migration {

  override name = 'Migration20261127021945';

  override up(): void | Promise<void> {
    this.addSql(`create table "search_leaf_pack" ("space_id" text collate "C" not null, "position" int not null, "leaves" json not null, primary key ("space_id", "position"));`);

    this.addSql(`alter table "search_space" add "packed_leaves" int not null default 0, add "unpacked_leaves" int not null default 0, add "packed_generation" int null;`);

    this.addSql(`alter table "search_leaf_pack" add constraint "search_leaf_pack_space_id_foreign" foreign key ("space_id") references "search_space" ("space_id") on delete cascade;`);

    // Packs are read as a whole by the first search of a process, and take four times as long to decompress as to read.
    this.addSql(`alter table "search_leaf_pack" alter column "leaves" set storage external;`);

    // How many leaves the spaces that are indexed already have is not known, but is found out when they are to be packed.
    this.addSql(`update "search_space" set "unpacked_leaves" = 1000;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "search_leaf_pack" cascade;`);

    this.addSql(`alter table "search_space" drop column "packed_leaves", drop column "unpacked_leaves", drop column "packed_generation";`);
  }

}
