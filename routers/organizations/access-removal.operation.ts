import { type RawBuilder, sql } from 'kysely';
import type { SpaceMergeRules } from '../../schema/json/merge-rules.ts';
import type { Db } from '../base/db.ts';
import { DomainError } from '../engine/errors.ts';
import { awaitLock } from '../sql/lock-row.ts';

/**
 * Cleans up the change requests and merge rules of locked spaces that have just been transferred: removes rights to bypass
 * the spaces' own rules, and review requests to users who are not members of the new organization. Rules that name reviewers
 * stay: see `merge-rules.ts` for who replaces them.
 * @param spaces selects ids of spaces
 */
export async function removeRightsOfOutsiders(db: Db, spaces: RawBuilder<unknown>): Promise<void> {
  await sql`
    delete from requested_reviewer
    using change_request, space
    where change_request.id = requested_reviewer.change_request_id and space.id = change_request.space_id
      and space.id in (${spaces})
      and not exists (
        select from member
        where member.organization_id = space.organization_id and member.user_id = requested_reviewer.user_id)`.execute(
    db,
  );
  await sql`
    update space
    set merge_rules = jsonb_set(
      merge_rules, '{rules}', jsonb_path_query_array(merge_rules, '$.rules[*] ? (@.rule != "allow_bypass")'))
    where id in (${spaces}) and merge_rules @> '{"rules": [{"rule": "allow_bypass"}]}'`.execute(db);
}

const namesBypass = (user: string) =>
  sql<boolean>`merge_rules @> ${JSON.stringify({ rules: [{ rule: 'allow_bypass', users: [user] }] })}::jsonb`;

/** Locks the spaces of a locked organization whose merge rules let a user bypass them. */
export async function lockSpacesWithBypass(db: Db, organization: string, user: string): Promise<void> {
  const locking = db
    .selectFrom('space')
    .select('id')
    .where('organization_id', '=', organization)
    .where(namesBypass(user))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  await awaitLock('space', locking);
}

/**
 * The same for a member who leaves an organization; nothing is restored if they come back. The spaces whose rules they may
 * bypass must be locked.
 */
export async function removeRightsOfMember(db: Db, organization: string, user: string): Promise<void> {
  await sql`
    delete from requested_reviewer
    using change_request, space
    where change_request.id = requested_reviewer.change_request_id and space.id = change_request.space_id
      and requested_reviewer.user_id = ${user} and space.organization_id = ${organization}`.execute(db);
  const others = sql`jsonb_set(merge_rules, '{rules}', (
    select coalesce(jsonb_agg(left_over order by place), '[]')
    from jsonb_array_elements(merge_rules -> 'rules') with ordinality as given (rule, place),
      lateral (select case rule ->> 'rule'
        when 'allow_bypass' then jsonb_set(rule, '{users}', (rule -> 'users') - ${user}::text)
        else rule
      end) as emptied (left_over)
    where left_over -> 'users' is distinct from '[]'))`;
  await sql`
    update space set merge_rules = ${others}
    where organization_id = ${organization} and ${namesBypass(user)}`.execute(db);
  await sql`
    update organization set merge_rules = ${others}
    where id = ${organization} and ${namesBypass(user)}`.execute(db);
}

/** The users whom merge rules name, with the rule and the place of each. */
const namedIn = (mergeRules: SpaceMergeRules) =>
  mergeRules.type !== 'rules'
    ? []
    : mergeRules.rules.flatMap((rule, i) =>
        'users' in rule
          ? rule.users.map((user, n) => ({ rule: rule.rule, user, path: `mergeRules.rules.${i}.users.${n}` }))
          : [],
      );

/**
 * Ensures that new merge rules of a locked organization or space name only members of the organization, and locks their
 * memberships until the end of the transaction. Disabled members are members. Reviewers whom the present rules name may have
 * left; they may be named again, so that rules can be sent back as they were read.
 * @throws DomainError `invalid` naming each place where they name another user
 */
export async function requireMembersInRules(
  db: Db,
  { organization, present }: { organization: string; present: SpaceMergeRules },
  mergeRules: SpaceMergeRules,
): Promise<void> {
  const named = namedIn(mergeRules);
  if (named.length === 0) return;
  const found = await db
    .selectFrom('member')
    .select('user_id')
    .where('organization_id', '=', organization)
    .where('user_id', 'in', [...new Set(named.map(({ user }) => user))])
    .orderBy('user_id')
    .forKeyShare()
    .execute();
  const members = new Set(found.map((row) => row.user_id));
  const reviewers = new Set(
    namedIn(present).flatMap(({ rule, user }) => (rule === 'allow_bypass' ? [] : [user])),
  );
  const others = named.filter(
    ({ rule, user }) =>
      // guard: bypass-of-former-members
      !members.has(user) && (rule === 'allow_bypass' || !reviewers.has(user)),
  );
  // guard: merge-rules-of-removed
  if (others.length === 0) return;
  const message = 'must be a member of the organization';
  throw new DomainError(
    'invalid',
    `Merge rules may name only members of the organization: ${others[0]?.path} is not one.`,
    others.map(({ path }) => ({ path, message })),
  );
}
