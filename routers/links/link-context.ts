import type { Role } from '../../schema/enums.ts';
import type { OrganizationAccess, SpaceRow } from '../access/load.query.ts';
import type { Services } from '../base/context.ts';
import type { Db } from '../base/db.ts';
import type { Snapshot } from '../engine/store/snapshot.ts';
import type { Engine } from '../engine/tasks/engine.ts';

/** A space as the caller may view it. */
export interface VisibleSpace {
  space: SpaceRow;
  level: Role;
}

/** The content that contains the references, and what the caller may view beyond it. */
export interface LinkContext {
  db: Db;
  engine: Engine;
  services: Services;
  snapshot: Snapshot;
  here: VisibleSpace;
  /** The id of the caller. */
  user: string;
  access: OrganizationAccess;
  /** Whether a URL is one of the service's own pages. */
  isInApp: (url: string) => boolean;
}
