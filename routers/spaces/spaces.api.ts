import { z } from 'zod';
import type { Space } from '../../schema/entities/space.ts';
import { EDIT_MODES, LANGUAGES, type Role, VISIBILITIES } from '../../schema/enums.ts';
import { SpaceMergeRules } from '../../schema/json/merge-rules.ts';
import type { Presentable } from '../../schema/rows.ts';
import {
  type CallerLevel,
  permissionFlags,
  permissionsOf,
  SPACE_NEEDS,
  VISITOR_LEVEL,
} from '../access/needs.ts';
import type { Viewer } from '../access/viewer.ts';
import { type PublishedPlace, urlOf } from '../addresses/places.ts';
import { DefaultLevelSchema, isoTime, optionalTime } from '../base/common-schemas.ts';
import type { Urls } from '../base/ports.ts';
import { emojiCodePoints } from '../engine/emoji.ts';

/** The public object of a space. */
export const SpaceObject = z
  .object({
    object: z.literal('space').describe('The type of the object: always `space`.'),
    id: z.string().describe('An opaque identifier that never changes.'),
    title: z.string().describe('The title, as shown to users.'),
    emoji: z.string().describe('The code points of the emoji, such as `1f4d8`.'),
    visibility: z.enum(VISIBILITIES).describe('Who can read the space.'),
    createdAt: z.string().describe('When it was created, in ISO 8601 UTC.'),
    updatedAt: z
      .string()
      .describe(
        'When its settings, place or content were last changed, in ISO 8601 UTC. Comments, and change requests until they are merged, do not count.',
      ),
    deletedAt: z.string().optional().describe('When it was deleted; absent unless it is deleted.'),
    editMode: z
      .enum(EDIT_MODES)
      .describe('Whether members edit the space directly (`live`), or only by change requests (`locked`).'),
    mergeRules: SpaceMergeRules.describe('The rules that a change request must meet to be merged.'),
    organization: z.string().describe('The id of the organization that owns it.'),
    parent: z
      .string()
      .optional()
      .describe('The id of the collection that contains it; absent at the top of the organization.'),
    language: z.enum(LANGUAGES).optional().describe('The language of the content.'),
    revision: z.string().describe('The id of the active revision.'),
    defaultLevel: DefaultLevelSchema.describe(
      'The default level of members of the organization: a role, `inherit` for the level of the parent, or null for none.',
    ),
    comments: z.number().int().describe('The number of open comments.'),
    changeRequests: z
      .number()
      .int()
      .describe('The number of all change requests, including merged and archived ones.'),
    changeRequestsOpen: z.number().int().describe('The number of open change requests.'),
    changeRequestsDraft: z.number().int().describe('The number of draft change requests.'),
    urls: z
      .object({
        location: z.string().describe('The URL of the object in this API.'),
        app: z.string().describe('The URL of the object in the web app.'),
        published: z
          .string()
          .optional()
          .describe('The URL on the oldest published site that shows it to the caller, if there is one.'),
        icon: z.string().optional().describe('The URL of the icon.'),
      })
      .describe('The URLs of the object.'),
    permissions: permissionFlags(SPACE_NEEDS).describe(
      'What the caller may do with the object: operations whose flag is false are refused.',
    ),
  })
  .meta({
    id: 'Space',
    description: 'A container of documentation: pages, files and reusable contents, with an active revision.',
  });

/** The fields that only members see: the settings of a space, its parent, and counts of activity in it. */
type MemberOnlyFields = Pick<
  Presentable<Space>,
  | 'deletedAt'
  | 'editMode'
  | 'mergeRules'
  | 'parent'
  | 'defaultLevel'
  | 'comments'
  | 'changeRequests'
  | 'changeRequestsOpen'
  | 'changeRequestsDraft'
>;

const present = (
  space: Presentable<Space>,
  memberFields: MemberOnlyFields,
  urls: Urls,
  callerLevel: CallerLevel,
  published: string | undefined,
): z.infer<typeof SpaceObject> => ({
  object: 'space',
  id: space.id,
  title: space.title,
  emoji: emojiCodePoints(space.emoji),
  visibility: space.visibility,
  createdAt: isoTime(space.createdAt),
  updatedAt: isoTime(space.updatedAt),
  deletedAt: optionalTime(memberFields.deletedAt),
  editMode: memberFields.editMode,
  mergeRules: memberFields.mergeRules,
  organization: space.organization,
  parent: memberFields.parent ?? undefined,
  language: space.language ?? undefined,
  revision: space.revision,
  defaultLevel: memberFields.defaultLevel ?? null,
  comments: memberFields.comments,
  changeRequests: memberFields.changeRequests,
  changeRequestsOpen: memberFields.changeRequestsOpen,
  changeRequestsDraft: memberFields.changeRequestsDraft,
  urls: {
    location: urls.location('spaces', space.id),
    app: urls.app('spaces', space.id),
    published,
    icon: space.icon ?? undefined,
  },
  permissions: permissionsOf(SPACE_NEEDS, callerLevel),
});

/** `level` is the caller's level on the space; `place` is where a published site shows it to them. */
export const presentSpace = (
  space: Presentable<Space>,
  level: Role | null,
  viewer: Viewer,
  place: PublishedPlace | null,
) =>
  present(
    space,
    space,
    viewer.urls,
    { level, scope: viewer.scope, role: viewer.role },
    // Sites do not show deleted spaces.
    space.deletedAt ? undefined : urlOf(viewer.urls, place),
  );

const HIDDEN_FIELDS: MemberOnlyFields = {
  deletedAt: null,
  parent: null,
  editMode: 'locked',
  mergeRules: { type: 'none' },
  defaultLevel: null,
  comments: 0,
  changeRequests: 0,
  changeRequestsOpen: 0,
  changeRequestsDraft: 0,
};

/** A space as visitors of a site see it, with its URL on the site. */
export const presentVisitedSpace = (space: Presentable<Space>, urls: Urls, published: string | undefined) =>
  present(space, HIDDEN_FIELDS, urls, VISITOR_LEVEL, published);
