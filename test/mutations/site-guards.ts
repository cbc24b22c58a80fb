import { guard } from './guard.ts';
import { always, at, becomes, replace } from './mutations.ts';

const SITES = 'test/sites/sites.test.ts';
const STRUCTURE = ['structure', 'section-groups', 'moves'].map((name) => `test/sites/${name}.test.ts`);
const SPACES = 'test/sites/spaces.test.ts';
const CUSTOMIZATION = 'test/sites/customization.test.ts';

export const SITE_GUARDS = [
  guard('site-space-admin', 'sites: putting a space on a site asks for admin on the space', SITES),
  guard(
    'structure-visible-spaces',
    'sites: a structure hides the spaces that a member may not view',
    STRUCTURE,
    at('body of property sees', always),
  ),
  guard(
    'site-space-viewable',
    'sites: a site space is found by those who may view its space',
    'test/sites/unseen-defaults.test.ts',
    at('operand 2', always),
  ),
  guard(
    'section-condition-schema',
    'sites: a condition is checked against the schema that the site has now',
    STRUCTURE,
    replace({ '.locked': '.site' }),
  ),
  guard(
    'default-unseen',
    'sites: a default stays the default for those who may not view it',
    'test/sites/unseen-defaults.test.ts',
    replace({ 'filter(isShown)': 'filter((space) => reader.sees(space) && isShown(space))' }),
  ),
  guard('site-space-path-taken', 'sites: no two spaces of a section have one path', SPACES),
  guard('section-group-loop', 'sites: a group cannot be moved into itself', STRUCTURE),
  guard('shown-space-transfer', 'sites: a space that a site shows cannot leave its organization', SPACES),
  guard('default-content-site', 'sites: the default content of an organization is one of its sites', SPACES),
  guard('site-link-scripts', 'sites: links of a site run no scripts', CUSTOMIZATION, at('call 2')),
  guard(
    'shown-site-named',
    'sites: a site that the caller may not view is not named',
    SPACES,
    at('value', always),
  ),
  guard(
    'site-space-count',
    'sites: spaces that the caller may not view are not counted',
    SPACES,
    at('argument 1 of argument 1', becomes('sql`true`')),
  ),
];
