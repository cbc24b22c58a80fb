import type { SiteSpace } from '../../../schema/entities/site-space.ts';
import type { Row } from '../../../schema/rows.ts';
import type { Db } from '../../base/db.ts';
import { DomainError } from '../../engine/errors.ts';
import {
  type Anchor,
  alreadyInPosition,
  anchorBetween,
  type Positioned,
  positionIn,
} from '../../placement/siblings.operation.ts';
import { ensureDefaultSiteSpace } from '../defaults.operation.ts';
import type { ItemPointer, ItemPosition } from './move.api.ts';
import { groupsAbove, heightOf, itemOf, requireDepth } from './sections.operation.ts';
import { readSiteSpace, requireFreePath, type SiteReader } from './site-spaces.operation.ts';
import { readSections, sectionSiblings, siteSpaceSiblings } from './structure.query.ts';

/** An item that another one can be moved next to. */
interface Sibling extends Positioned {
  parent: string | null;
}

type Find = (pointer: ItemPointer) => Promise<Sibling | undefined> | Sibling | undefined;

/**
 * Finds the new parent of a moved item, and the sibling that it comes next to: directly before the later one if both sides
 * are given; if neither is, it moves to the end of `defaultParent`.
 * @throws DomainError `invalid` if the given items are not siblings in this order
 */
async function resolveDestination(
  moving: string,
  { before, after }: ItemPosition,
  defaultParent: string | null,
  find: Find,
): Promise<{ parent: string | null; anchor: Anchor | undefined }> {
  const findSibling = async (side: Anchor['side'], pointer: ItemPointer | undefined) => {
    if (!pointer) return undefined;
    const child = await find(pointer);
    if (child && child.id !== moving) return child;
    throw new DomainError('invalid', 'The position refers to an item that this one cannot be next to.', [
      { path: `position.${side}`, message: 'must be another item of the same site' },
    ]);
  };
  const lower = await findSibling('after', after);
  const upper = await findSibling('before', before);
  if (lower && upper && lower.parent !== upper.parent)
    throw new DomainError(
      'invalid',
      'The position is contradictory: `after` and `before` are not siblings.',
      [{ path: 'position.after', message: 'must be a sibling of `before`' }],
    );
  const anchor = anchorBetween(lower, upper);
  return { parent: anchor ? anchor.child.parent : defaultParent, anchor };
}

/**
 * Moves a section or a group, with its contents, on a locked site: next to another one, under the same parent, or to the
 * end of the site.
 * @throws DomainError `not-found` if the site does not have it, `invalid` for an invalid position, `conflict` if nothing
 * would change
 */
export async function moveSection(
  db: Db,
  site: string,
  { type, id }: ItemPointer & { type: 'site-section' | 'site-section-group' },
  position: ItemPosition,
): Promise<void> {
  const rows = await readSections(db, site);
  const moving = itemOf(rows, type, id);
  const { parent, anchor } = await resolveDestination(id, position, null, (pointer) =>
    rows.find((row) => row.type === pointer.type && row.id === pointer.id),
  );
  if (type === 'site-section-group') {
    const above = groupsAbove(rows, parent);
    // guard: section-group-loop
    if (above.some((group) => group.id === id))
      throw new DomainError('invalid', 'A group cannot be moved into itself.', [
        { path: 'position', message: 'must be outside the group' },
      ]);
    requireDepth(above.length + heightOf(rows, id));
  }
  const stays = parent === moving.parent ? moving : undefined;
  const place = await positionIn(db, sectionSiblings(site, parent), anchor, stays);
  if (place === undefined) throw alreadyInPosition();
  if (type === 'site-section')
    await db
      .updateTable('site_section')
      .set({ group_id: parent, position: place })
      .where('id', '=', id)
      .execute();
  else
    await db
      .updateTable('site_section_group')
      .set({ parent_id: parent, position: place })
      .where('id', '=', id)
      .execute();
}

/**
 * Moves a site space on a locked site: next to another one whose space the caller may view, into its section, or to the end of
 * its own section.
 * @throws DomainError as {@link moveSection}, and `conflict` if its path is taken there
 */
export async function moveSiteSpace(
  db: Db,
  caller: SiteReader,
  moving: Row<SiteSpace>,
  position: ItemPosition,
): Promise<void> {
  const { id, site, section } = moving;
  const find: Find = async ({ type, id }) => {
    const found = type === 'site-space' ? await readSiteSpace(db, caller, id) : undefined;
    return found && { id, position: found.position, parent: found.section };
  };
  const { parent, anchor } = await resolveDestination(id, position, section, find);
  const changesSection = parent !== section;
  if (changesSection) await requireFreePath(db, { id, site, section: parent }, moving.path);
  const place = await positionIn(
    db,
    siteSpaceSiblings(site, parent),
    anchor,
    changesSection ? undefined : moving,
  );
  if (place === undefined) throw alreadyInPosition();
  // Addresses with its earlier paths name the section that it leaves.
  const newSection = changesSection && { section_id: parent, is_default: false, earlier_paths: [] };
  await db
    .updateTable('site_space')
    .set({ position: place, ...newSection })
    .where('id', '=', id)
    .execute();
  if (!changesSection) return;
  await ensureDefaultSiteSpace(db, site, section);
  await ensureDefaultSiteSpace(db, site, parent);
}
