import { Migration } from '@mikro-orm/migrations';

export class Migration20261127133706 extends Migration {

  override name = 'Migration20261127133706';

  override up(): void | Promise<void> {
    // The packs are written again, in their new format, when the spaces are next indexed.
    this.addSql(`update "search_space" set "packed_leaves" = 0, "packed_generation" = null, "unpacked_leaves" = 1000;`);
    this.addSql(`delete from "search_leaf_pack";`);

    this.addSql(`alter table "search_leaf_pack" drop column "leaves";`);
    this.addSql(`alter table "search_leaf_pack" add "leaves" bytea not null;`);

    // They are compressed already.
    this.addSql(`alter table "search_leaf_pack" alter column "leaves" set storage external;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`update "search_space" set "packed_leaves" = 0, "packed_generation" = null, "unpacked_leaves" = 1000;`);
    this.addSql(`delete from "search_leaf_pack";`);

    this.addSql(`alter table "search_leaf_pack" drop column "leaves";`);
    this.addSql(`alter table "search_leaf_pack" add "leaves" json not null;`);
    this.addSql(`alter table "search_leaf_pack" alter column "leaves" set storage external;`);
  }

}
