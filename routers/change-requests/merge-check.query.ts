import type { ChangeRequest } from '../../schema/entities/change-request.ts';
import type { Space } from '../../schema/entities/space.ts';
import type { User } from '../../schema/entities/user.ts';
import type { Role } from '../../schema/enums.ts';
import { MAX_USERS, type MergeRule } from '../../schema/json/merge-rules.ts';
import type { Presentable } from '../../schema/rows.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Db } from '../base/db.ts';
import { presentUser } from '../people/users.api.ts';
import { enabledUsersOf } from '../permissions/permissions.query.ts';
import { presentSpace } from '../spaces/spaces.api.ts';
import { sqlAny } from '../sql/sql-any.ts';
import { presentChangeRequest } from './change-requests.api.ts';
import {
  effectiveRules,
  type MergeFacts,
  mayBypass,
  mayReview,
  requiredReviewers,
  type UnmetRule,
  unmetRules,
} from './merge-rules.ts';
import { presentReviews, relevantReviewsOf, reviewColumns } from './reviews.query.ts';
import { textOf } from './texts.ts';

/** How many of the newest reviews of a change request conditions see, besides the last one of each reviewer. */
const MAX_REVIEWS = 1000;

/** A change request to be merged. */
interface MergeCandidate {
  space: Presentable<Space>;
  changeRequest: Presentable<ChangeRequest>;
  createdBy: Presentable<User> | undefined;
  /** The user who merges it, and their level on the space. */
  actor: Presentable<User>;
  level: Role;
  viewer: Viewer;
}

export interface MergeCheck {
  unmet: UnmetRule[];
  /** Whether the caller may merge anyway. */
  bypass: boolean;
}

/** Checks the merge rules for a merge. Reads what they need only if there are rules. */
export async function checkMergeRules(db: Db, candidate: MergeCandidate): Promise<MergeCheck> {
  const { space, actor } = candidate;
  const rules = await readRules(db, space);
  if (rules.length === 0) return { unmet: [], bypass: false };
  const facts = await readFacts(db, candidate, rules);
  return { unmet: unmetRules(rules, facts), bypass: mayBypass(rules, actor.id) };
}

async function readRules(db: Db, space: Presentable<Space>): Promise<readonly MergeRule[]> {
  if (space.mergeRules.type !== 'inherit') return effectiveRules(space.mergeRules, { type: 'none' });
  const { merge_rules } = await db
    .selectFrom('organization')
    .select('merge_rules')
    .where('id', '=', space.organization)
    .executeTakeFirstOrThrow();
  return effectiveRules(space.mergeRules, merge_rules);
}

async function readFacts(
  db: Db,
  { space, changeRequest, createdBy, actor, level, viewer: caller }: MergeCandidate,
  rules: readonly MergeRule[],
): Promise<MergeFacts> {
  const given = await relevantReviewsOf(db, changeRequest, MAX_REVIEWS)
    .select(reviewColumns(changeRequest, space.organization))
    .orderBy('review.id', 'desc')
    .execute();
  const requested = await db
    .selectFrom('requested_reviewer')
    .select('user_id')
    .where('change_request_id', '=', changeRequest.id)
    .execute();
  const involved = [...given.map(({ reviewer }) => reviewer), ...requested.map((row) => row.user_id)];
  const required = requiredReviewers(rules);
  const levels = await readLevels(db, space, [...involved, ...required]);
  const hasMissingReviewer = required.some((user) => !mayReview({ levels }, user));
  const admins = hasMissingReviewer ? await readAdmins(db, space) : [];
  const rows = given.filter(({ reviewer }) => mayReview({ levels }, reviewer));
  // A condition has the same result with any token of the caller, and reveals nothing that they may not view.
  const viewer: Viewer = { ...caller, scope: 'write' };
  const presented = presentChangeRequest(changeRequest, {
    createdBy,
    spaceRevision: space.revision,
    viewer,
  });
  return {
    levels,
    names: await readNames(db, required),
    admins,
    reviews: rows,
    // A request to somebody who may no longer review blocks nothing: they could never complete it.
    // guard: merge-rule-reviewers
    requestedReviewers: requested.map((row) => row.user_id).filter((user) => mayReview({ levels }, user)),
    subject: changeRequest.subject,
    description: textOf(presented.description),
    outdated: presented.outdated,
    inputs: {
      space: presentSpace(space, level, viewer, null),
      changeRequest: presented,
      reviews: await presentReviews(db, rows, { space, changeRequest, level, viewer }, 'markdown'),
      actor: presentUser(actor, viewer),
    },
  };
}

/** The levels of users on a space, by id; users without one, and those whose account is disabled, are left out. */
async function readLevels(
  db: Db,
  space: Presentable<Space>,
  users: readonly string[],
): Promise<Map<string, Role>> {
  if (users.length === 0) return new Map();
  const found = await enabledUsersOf(db, space)
    .where('user.id', 'in', [...new Set(users)])
    .execute();
  return new Map(found.map((user) => [user.id, user.permission]));
}

/** The display names of users, by id. */
async function readNames(db: Db, users: readonly string[]): Promise<Map<string, string>> {
  if (users.length === 0) return new Map();
  const found = await db
    .selectFrom('user')
    .select(['id', 'display_name as name'])
    .where('id', '=', sqlAny([...new Set(users)]))
    .execute();
  return new Map(found.map(({ id, name }) => [id, name]));
}

/** The ids of admins of a space, up to one more than a rule can name. */
async function readAdmins(db: Db, space: Presentable<Space>): Promise<string[]> {
  const found = await enabledUsersOf(db, space, 'admin')
    .limit(MAX_USERS + 1)
    .execute();
  return found.map((user) => user.id);
}
