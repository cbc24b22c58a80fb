import { type FilledTable, id, literal, own, type Values } from './values.ts';

/** The tables of sites and of their addresses. */
export const siteTables = ({
  ids,
  inOrganization,
  space,
  site,
  created,
  changed,
  position,
}: Values): FilledTable[] => [
  [
    'site',
    {
      id: id('i'),
      organization_id: inOrganization,
      title: "'Site'",
      default_level: "'inherit'",
      published: 'i % 1000 = 0',
      type: "case when i % 1000 = 0 then 'premium' else 'basic' end",
      ...changed,
    },
  ],
  [
    'site_space',
    {
      id: id('j'),
      site_id: id('i'),
      space_id: `case when i % 1000 = 0 then ${space} else ${id('s')} end`,
      path: "'path'",
      position,
      ...created,
    },
  ],
  [
    'site_redirect',
    {
      id: id('k'),
      site_id: own(site, id('i')),
      source: "'/old/' || i",
      destination: `jsonb_build_object('kind', 'site-space', 'siteSpaceId', ${literal(ids.siteSpaceId)})`,
      ...created,
    },
  ],
  ['share_link', { id: id('l'), site_id: own(site, id('i')), key: 'md5(i::text)', ...created }],
  [
    'custom_hostname',
    {
      // The first ones have maximum length.
      hostname: `case when i % 100 = 0
        then rpad('0' || i || '.' || repeat(repeat('a', 62) || '.', 4), 249, 'a') || '.org'
        else 'h' || i || '.example.org' end`,
      organization_id: inOrganization,
      ...created,
    },
  ],
];
