import { type SqlEntityManager, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { Site } from '../../schema/entities/site.ts';
import { SiteSpace } from '../../schema/entities/site-space.ts';
import type { Space } from '../../schema/entities/space.ts';
import type { SITE_TYPES, SITE_VISIBILITIES } from '../../schema/enums.ts';
import { newId } from '../../schema/ids.ts';
import type { Row } from '../../schema/rows.ts';
import { lockSite } from '../audience/lock.operation.ts';
import type { Services } from '../base/context.ts';
import { kyselyOf } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';
import { positionsBetween } from '../engine/ordering.ts';
import { recordEvent } from '../events/record.operation.ts';
import { releaseHostnames } from '../hostnames/release.operation.ts';
import { isReservedBasename, pathFor } from './paths.ts';

/** The maximum of site spaces, and of sections and groups, of a site: its structure is always read as a whole. */
export const MAX_SITE_ITEMS = 1000;

interface NewSite {
  organization: string;
  title: string;
  type?: (typeof SITE_TYPES)[number] | undefined;
  visibility?: (typeof SITE_VISIBILITIES)[number] | undefined;
  /** The key that signs the tokens of its visitors, encrypted. */
  authKey: string;
  /** In order; the first one is the default. */
  spaces?: readonly Pick<Row<Space>, 'id' | 'title'>[];
}

/** Creates a site in a locked organization. */
export async function createSite(em: SqlEntityManager, given: NewSite): Promise<Site> {
  const { organization, title, type = 'basic', visibility = 'public', authKey, spaces = [] } = given;
  const taken = await kyselyOf(em)
    .selectFrom('site')
    .select('basename')
    .where('organization_id', '=', organization)
    .execute();
  const basename = pathFor(
    title,
    taken.flatMap((site) => site.basename ?? []),
    isReservedBasename,
  );
  const site = em.create(Site, {
    id: newId(),
    organization,
    title,
    basename,
    type,
    visibility,
    authKey,
    defaultLevel: 'inherit',
  });
  const positions = positionsBetween(null, null, spaces.length) as string[];
  const paths: string[] = [];
  for (const [index, space] of spaces.entries()) {
    const path = pathFor(space.title, paths);
    paths.push(path);
    em.create(SiteSpace, {
      site: site.id,
      space: space.id,
      path,
      isDefault: index === 0,
      position: positions[index] as string,
    });
  }
  recordEvent(em, { type: 'site.created', site: site.id, organization });
  await em.flush();
  return site;
}

/** Publishes or unpublishes a site. @throws DomainError `conflict` if it is in this state already */
export async function setPublished(em: SqlEntityManager, siteId: string, published: boolean): Promise<void> {
  const site = await lockSite(em, siteId);
  if (site.published === published)
    throw new DomainError('conflict', `The site is ${published ? 'already' : 'not'} published.`);
  site.published = published;
  const { organization } = site;
  recordEvent(em, { type: published ? 'site.published' : 'site.unpublished', site: siteId, organization });
  await em.flush();
}

/** Deletes a locked site; if it was the default content of the organization, there is none then. */
export async function deleteSite(
  em: SqlEntityManager,
  services: Pick<Services, 'jobs'>,
  { id, organization }: Site,
): Promise<void> {
  const db = kyselyOf(em);
  await releaseHostnames(em, services, id);
  await db
    .updateTable('organization')
    .set({ default_content: null })
    .where('id', '=', organization)
    .where(sql<boolean>`default_content ->> 'site' = ${id}`)
    .execute();
  await db.deleteFrom('site').where('id', '=', id).execute();
  recordEvent(em, { type: 'site.deleted', site: id, organization });
}

/** Fields whose values are unique, by constraint. */
const UNIQUE_FIELDS: Readonly<Record<string, string>> = {
  site_basename: 'basename',
};

/**
 * Saves the changes of a site.
 * @throws DomainError `conflict` naming the field if another site has this value
 */
export async function saveSite(em: SqlEntityManager): Promise<void> {
  try {
    await em.flush();
  } catch (error) {
    const field =
      error instanceof UniqueConstraintViolationException && 'constraint' in error
        ? UNIQUE_FIELDS[String(error.constraint)]
        : undefined;
    if (!field) throw error;
    throw takenByOther(field);
  }
}

const takenByOther = (field: string) =>
  new DomainError('conflict', `Another site has this ${field}.`, [
    { path: field, message: 'belongs to another site' },
  ]);
