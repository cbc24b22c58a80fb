import { type FilledTable, id, literal, own, type Values } from './values.ts';

/** The tables of events, of their deliveries and of the audit log. */
export const eventTables = ({
  ids,
  inOrganization,
  space,
  request,
  rareUser,
  at,
  created,
  changed,
}: Values): FilledTable[] => [
  [
    'webhook',
    {
      id: id('w'),
      organization_id: inOrganization,
      url: "'https://example.com'",
      types: "'{}'",
      secret: "''",
      ...changed,
    },
  ],
  [
    'webhook_delivery',
    {
      id: id('d'),
      webhook_id: own(literal(ids.webhookId), id('w')),
      type: "'webhook.test'",
      payload: "'{}'",
      status: "'delivered'",
      retry_until: at,
      ...created,
    },
  ],
  [
    'event',
    {
      id: id('n'),
      organization_id: inOrganization,
      number: '1000000 + i',
      type: "case when i % 1000 = 0 then 'space.deleted' else 'space.updated' end",
      space_id: `case when i % 1000 = 0 then ${space} else ${id('s')} end`,
      change_request_id: `case when i % 1000 = 0 then ${request} end`,
      details: "'{}'",
      ...created,
    },
  ],
  [
    'audit_event',
    {
      log: inOrganization,
      id: id('a'),
      action: "case when i % 1000 = 0 then 'space.deleted' else 'space.updated' end",
      actor_type: "'user'",
      actor_id: rareUser(1000),
      source: "'api'",
      target_type: "case when i % 1000 = 0 then 'site' else 'space' end",
      target_id: `case when i % 1000 = 0 then ${space} else ${id('s')} end`,
      payload: "'{}'",
      number: 'i + 1000000',
      hash: "'hash'",
      ...created,
    },
  ],
];
