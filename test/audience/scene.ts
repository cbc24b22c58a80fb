import { findShareLink } from '../../routers/access/visited.query.ts';
import { signVisitorToken } from '../../routers/access/visitor-token.ts';
import { newAuthKey, openAuthKey } from '../../routers/audience/auth-key.ts';
import { visitSite } from '../../routers/audience/visit-site.ts';
import type { Visitor } from '../../routers/base/principal.ts';
import { ShareLink } from '../../schema/entities/share-link.ts';
import { Site } from '../../schema/entities/site.ts';
import { SiteSection } from '../../schema/entities/site-section.ts';
import { SiteSpace } from '../../schema/entities/site-space.ts';
import type { Person } from '../helpers/builders.ts';
import { type Client, expectOk, type TestService } from '../helpers/service.ts';

export const IS_PRO = 'visitor.claims.isPro';

export interface Space {
  id: string;
  at: string;
  revision: string;
  pages: Record<string, string>;
  file: string;
}

/** A published site with a space in a section, and everything that its visitors must not see. */
export interface Scene {
  organization: string;
  owner: Person;
  admin: Client;
  site: string;
  /** The path of the site in the API. */
  at: string;
  section: string;
  /** The space that the site shows to everyone. */
  space: Space;
  /** The site space of {@link space}. */
  siteSpace: string;
  /** The key that signs the JWTs of visitors. */
  authKey: string;
  link: { id: string; key: string };
  /** A client with the token of a visitor with these signed claims and this pass. */
  visitor(signed?: object, pass?: Visitor['pass']): Promise<Client>;
  token(signed?: object, pass?: Visitor['pass']): Promise<string>;
  /** Updates the row of the site. */
  update(changes: Partial<Site>): Promise<void>;
}

/** Builds a space with a visible page, a hidden one, one with a condition, and one below that. */
export async function buildSpace(admin: Client, organization: string): Promise<Space> {
  const { id } = await expectOk(admin.post(`/orgs/${organization}/spaces`, { title: 'Guides' }));
  const markdown = 'For all.\n\n{% if visitor.claims.isPro %}\nFor some.\n{% endif %}\n';
  const page = (title: string, fields: object = {}) => ({
    operation: 'insert_page',
    title,
    document: { markdown: `Text of ${title}.` },
    ...fields,
  });
  const { changes, revision } = await expectOk(
    admin.post(`/spaces/${id}/content`, {
      compat: false,
      changes: [
        page('Hidden', { hidden: true, ref: 'hidden' }),
        page('Conditional', { condition: IS_PRO, ref: 'conditional' }),
        page('Below', { into: 'conditional' }),
        page('Start', { document: { markdown } }),
        page('Below hidden', { into: 'hidden' }),
        {
          operation: 'insert_files',
          files: [{ base64: Buffer.from('Text.').toString('base64'), name: 'a.txt' }],
        },
      ],
    }),
  );
  const files = await expectOk(admin.get(`/spaces/${id}/content/files`));
  const pages: Record<string, string> = {};
  for (const { id, page } of changes.pages) pages[page.title] = id;
  return { id, at: `/spaces/${id}`, revision, pages, file: files.items[0].id };
}

export async function buildScene({ build, as, runtime }: TestService): Promise<Scene> {
  const { database, services } = runtime;
  const { id: organization, admin: owner } = await build.organization();
  const admin = as(owner.token);
  const space = await buildSpace(admin, organization);
  const sealed = newAuthKey(services.signer);
  const key = 'a'.repeat(32) + organization.slice(-6);
  const ids = await database.transaction(async (em) => {
    const site = em.create(Site, {
      organization,
      title: 'Docs',
      published: true,
      adaptiveContent: true,
      authKey: sealed,
    });
    const section = em.create(SiteSection, {
      site: site.id,
      title: 'Guides',
      path: 'guides',
      isDefault: true,
      position: 'a0',
    });
    const siteSpace = em.create(SiteSpace, {
      site: site.id,
      section: section.id,
      space: space.id,
      path: 'guides',
      isDefault: true,
      position: 'a0',
    });
    const link = em.create(ShareLink, { site: site.id, key, name: 'Friends' });
    await em.flush();
    return { site: site.id, section: section.id, siteSpace: siteSpace.id, link: { id: link.id, key } };
  });
  const token = (signed: object = {}, pass: Visitor['pass'] = {}) =>
    signVisitorToken(services.signer, {
      site: ids.site,
      organization,
      pass,
      claims: { signed: signed as Visitor['claims']['signed'], unsigned: {} },
    });
  return {
    ...ids,
    organization,
    owner,
    admin,
    at: `/orgs/${organization}/sites/${ids.site}`,
    space,
    authKey: openAuthKey(services.signer, sealed),
    token,
    visitor: async (signed, pass) => as(await token(signed, pass)),
    update: (changes) =>
      database.transaction(async (em) => {
        em.assign(await em.findOneOrFail(Site, ids.site), changes);
      }),
  };
}

/** The outcome of visiting the site of a scene. */
export async function visit(
  { runtime }: TestService,
  { site }: Pick<Scene, 'site'>,
  {
    shareKey,
    ...credentials
  }: Omit<Parameters<typeof visitSite>[2], 'link'> & { shareKey?: string | undefined },
) {
  const { database, services } = runtime;
  const row = await database.transaction((em) => em.findOneOrFail(Site, site));
  const link = shareKey === undefined ? undefined : await findShareLink(database.db, row.id, shareKey);
  return visitSite(services.signer, row as never, { ...credentials, link });
}
