import type { MergeRule, SpaceMergeRules } from '../../schema/json/merge-rules.ts';
import type { Db } from '../context.ts';
import { DomainError } from '../errors.ts';

const usersIn = (rules: SpaceMergeRules): string[] =>
  rules.type === 'rules' ? rules.rules.flatMap((rule: MergeRule) => ('users' in rule ? rule.users : [])) : [];

/**
 * Sees that those whom new rules name are members: a review by anyone else could never be given. Whom the rules in
 * force name already may have left since.
 * @throws DomainError `not-found` naming the first who is none
 */
export async function requireMembersInRules(
  db: Db,
  organizationId: string,
  rules: SpaceMergeRules,
  inForce: SpaceMergeRules,
): Promise<void> {
  const known = new Set(usersIn(inForce));
  const named = usersIn(rules).filter((user) => !known.has(user));
  if (named.length === 0) return;
  const members = await db
    .selectFrom('member')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('user_id', 'in', [...new Set(named)])
    .execute();
  for (const { user_id } of members) known.add(user_id);
  const unknown = named.find((user) => !known.has(user));
  if (unknown !== undefined)
    throw new DomainError('not-found', `There is no user "${unknown}" in this organization.`);
}
