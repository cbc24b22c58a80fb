import type { Guard } from './guards.ts';

const SITES = 'test/sites/sites.test.ts';
const STRUCTURE = ['structure', 'section-groups', 'moves'].map((name) => `test/sites/${name}.test.ts`);
const SPACES = 'test/sites/spaces.test.ts';
const CUSTOMIZATION = 'test/sites/customization.test.ts';

export const SITE_GUARDS: Guard[] = [
  {
    name: 'sites: putting a space on a site asks for admin on the space',
    file: 'routers/sites/spaces.operation.ts',
    find: 'if (!allows({ level, scope: viewer.scope }, SPACE_NEEDS.admin))',
    replace: 'if (!allows({ level, scope: viewer.scope }, SPACE_NEEDS.view))',
    tests: [SITES],
  },
  {
    name: 'sites: a structure hides the spaces that a member may not view',
    file: 'routers/sites/published/visible-structure.query.ts',
    find: 'sees: ({ content }) => sees(content)',
    replace: 'sees: () => true',
    tests: STRUCTURE,
  },
  {
    name: 'sites: a condition is checked against the schema that the site has now',
    file: 'routers/sites/structure/sections.router.ts',
    find: 'requireCondition(changes.condition, ctx.locked);',
    replace: 'requireCondition(changes.condition, ctx.site);',
    tests: STRUCTURE,
  },
  {
    name: 'sites: a group cannot be moved into itself',
    file: 'routers/sites/structure/move.operation.ts',
    find: 'if (above.some((group) => group.id === id))',
    replace: 'if (above.length < 0)',
    tests: STRUCTURE,
  },
  {
    name: 'sites: a space that a site shows cannot leave its organization',
    file: 'routers/placement/sites.operation.ts',
    find: 'if (first) {',
    replace: 'if (!first) {',
    tests: [SPACES],
  },
  {
    name: 'sites: the default content of an organization is one of its sites',
    file: 'routers/organizations/organizations.router.ts',
    find: 'if (changes.defaultContent) await requireSite(ctx.db, organizationId, changes.defaultContent.site);',
    replace: '',
    tests: [SPACES],
  },
  {
    name: 'sites: links of a site run no scripts',
    file: 'routers/sites/customization/settings.ts',
    find: 'ref.url.length <= 2048 && isSafe(ref.url)',
    replace: 'ref.url.length <= 2048',
    tests: [CUSTOMIZATION],
  },
  {
    name: 'sites: a site that the caller may not view is not named',
    file: 'routers/placement/sites.operation.ts',
    find: '(await loadSite(db, actor, first.organization, first.site)) !== undefined',
    replace: 'true',
    tests: [SPACES],
  },
  {
    name: 'sites: spaces that the caller may not view are not counted',
    file: 'routers/access/load.query.ts',
    find: 'derivedSiteColumns(viewableSpacesOf(userId))',
    replace: 'derivedSiteColumns(sql<boolean>`true`)',
    tests: [SPACES],
  },
];
