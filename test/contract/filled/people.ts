import { type FilledTable, id, own, type Values } from './values.ts';

/** The tables of people, and of how they sign in. */
export const peopleTables = ({
  inOrganization,
  user,
  caller,
  team,
  anyUser,
  at,
  created,
}: Values): FilledTable[] => [
  ['organization', { id: id('o'), title: "'Organization'", merge_rules: `'{"type":"none"}'`, ...created }],
  ['user', { id: anyUser, display_name: "'Person'", email: "'filled' || i || '@example.org'", ...created }],
  [
    'member',
    {
      organization_id: inOrganization,
      user_id: anyUser,
      role: "case i % 1000 when 0 then 'admin' when 10 then null else 'read' end",
      joined_at: at,
      last_seen_at: `case when i % 20 = 0 then ${at} end`,
    },
  ],
  ['member', { organization_id: id('o'), user_id: caller, role: "'read'", joined_at: at }, 3000],
  ['team', { id: id('t'), organization_id: inOrganization, title: "'Team'", ...created }],
  [
    'team_member',
    { team_id: own(team, id('t', 'i % 1000')), user_id: anyUser, role: "'member'", ...created },
  ],
  // One in ten of these belongs to the organization.
  ['team_member', { team_id: id('t'), user_id: user, role: "'owner'", ...created }, 2000],
  [
    'api_token',
    {
      id: id('a'),
      user_id: own(caller, anyUser),
      name: "'Token'",
      hash: 'md5(i::text)',
      scope: "'read'",
      ...created,
    },
  ],
  [
    'session',
    {
      id: id('n'),
      user_id: own(caller, anyUser),
      hash: 'md5(i::text)',
      method: "'password'",
      second_factor: 'false',
      address: "'192.0.2.1'",
      last_seen_at: at,
      // Some have ended.
      idle_expires_at: "now() + interval '1 day' * (i % 100 - 5)",
      expires_at: "now() + interval '30 days'",
      ...created,
    },
  ],
  [
    'passkey',
    {
      id: id('y'),
      user_id: own(caller, anyUser),
      name: "'Laptop'",
      credential: 'md5(i::text)',
      public_key: "'AAAA'",
      counter: '0',
      transports: "'[]'",
      is_synced: 'false',
      ...created,
    },
  ],
  [
    'user_identity',
    {
      id: id('z'),
      user_id: own(caller, anyUser),
      issuer: "'https://issuer.example'",
      subject: 'md5(i::text)',
      email: "'someone@example.com'",
      last_used_at: at,
      ...created,
    },
  ],
  [
    'invite',
    {
      id: id('x'),
      organization_id: inOrganization,
      email: "case when i % 20 < 10 then 'invited' || i || '@example.org' end",
      hash: 'case when i % 20 >= 10 then md5(i::text) end',
      ...created,
    },
  ],
  ['saml_provider', { id: id('y'), organization_id: inOrganization, label: "'Login'", ...created }],
];
