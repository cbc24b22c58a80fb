import { z } from 'zod';
import type { OrganizationAccess } from '../access/load.query.ts';
import type { Viewer } from '../access/viewer.ts';
import { ChangeRequestObject } from '../change-requests/change-requests.api.ts';
import { CollectionObject, presentCollection } from '../collections/collections.api.ts';
import { type ContentView, FileObject, presentFile } from '../content/files.api.ts';
import { PageObject, presentPage } from '../content/pages.api.ts';
import { presentReusableContent, ReusableContentObject } from '../content/revisions.api.ts';
import { ContentRef } from '../engine/document/document.ts';
import type { PageRecord, ReusableContentRecord } from '../engine/store/records.ts';
import { OrganizationObject, presentOrganization } from '../organizations/organizations.api.ts';
import { presentUser, UserObject } from '../people/users.api.ts';
import { presentSpace, SpaceObject } from '../spaces/spaces.api.ts';
import { OpenAPISpecObject, presentSpec } from '../specs/specs.api.ts';
import type { VisibleSpace } from './link-context.ts';
import type { ResolvedReference, Target } from './targets.query.ts';

export const LINK_STATUSES = ['ok', 'broken', 'in-app'] as const;

const inOrganization = {
  organization: OrganizationObject.describe('The organization that the object is in.'),
};
const inSpace = {
  ...inOrganization,
  space: SpaceObject.describe('The space that the object is in.'),

  versionContext: z
    .object({
      type: z.literal('changeRequest').describe('Always `changeRequest`.'),
      changeRequest: ChangeRequestObject.describe('The change request, without its description.'),
    })
    .optional()
    .describe('The change request that the content belongs to; absent for the main content of a space.'),
};

/** The public object of a place in content, with everything needed to show it. Pages are without the pages below them. */
export const LocationObject = z
  .discriminatedUnion('kind', [
    z.object({
      kind: z.literal('url').describe('The kind of target.'),
      url: z.string().describe('The URL.'),
    }),
    z.object({
      kind: z.literal('file').describe('The kind of target.'),
      ...inSpace,
      file: FileObject.describe('The file.'),
    }),
    z.object({
      kind: z.literal('page').describe('The kind of target.'),
      ...inSpace,
      page: PageObject.describe('The page.'),
      internalLocation: z
        .discriminatedUnion('type', [
          z.object({
            type: z.literal('anchor').describe('A place with an anchor.'),
            anchor: z.string().describe('The id of the heading or block.'),
          }),
          z.object({
            type: z.literal('node').describe("A block of the page's document."),
            node: z.string().describe('The key of the block.'),
          }),
        ])
        .optional()
        .describe('The place on the page.'),
    }),
    z.object({
      kind: z.literal('reusable-content').describe('The kind of target.'),
      ...inSpace,
      reusableContent: ReusableContentObject.describe('The reusable content.'),
    }),
    z.object({
      kind: z.literal('space').describe('The kind of target.'),
      ...inOrganization,
      space: SpaceObject.describe('The space.'),
    }),
    z.object({
      kind: z.literal('collection').describe('The kind of target.'),
      ...inOrganization,
      collection: CollectionObject.describe('The collection.'),
    }),
    z.object({
      kind: z.literal('user').describe('The kind of target.'),
      user: UserObject.describe('The user.'),
    }),
    z.object({
      kind: z.literal('openapi').describe('The kind of target.'),
      ...inOrganization,
      openAPISpec: OpenAPISpecObject.describe('The OpenAPI spec.'),
    }),
  ])
  .meta({
    id: 'ContentLocation',
    description: 'The target of a link, or the place of the link, with the objects that contain it.',
  });
type Location = z.input<typeof LocationObject>;

/** Maximum number of places of one link: an item of a list cannot be divided among its pages. */
export const MAX_PLACES = 500;

/** The public object of a link: one target with the places that refer to it. */
export const LinkObject = z
  .object({
    status: z
      .enum(LINK_STATUSES)
      .describe('`broken` if the target does not exist, `in-app` if it is a page of the web app, or `ok`.'),

    relation: z
      .enum(['reference', 'dependsOn'])
      .describe('Whether the content shown depends on the target, or only mentions it.'),

    reference: ContentRef.describe(
      'The reference as it is stored; for a broken link, all that is known of the target.',
    ),
    targetReference: LocationObject.optional().describe('What the link leads to; absent if it is broken.'),
    locationReferences: z
      .array(LocationObject)
      .describe(`The places that contain the link; the first ${MAX_PLACES} if there are more.`),
  })
  .meta({
    id: 'ContentReferenceUsage',
    description: 'A link in content: the places that contain it, its target, and whether it is broken.',
  });

/** Counts of all links, regardless of filters. */
export const LinkStats = z.object({
  total: z.number().int().describe('The number of links.'),
  broken: z
    .object({
      total: z.number().int().describe('The number of broken links.'),

      changeRequest: z
        .number()
        .int()
        .optional()
        .describe('The number of these that the change request broke.'),
    })
    .describe('Counts of broken links.'),
});

/** What is needed to present places in one content. */
export interface LocationView {
  access: OrganizationAccess;
  here: VisibleSpace;
  changeRequest: z.infer<typeof ChangeRequestObject> | undefined;
  content: ContentView;
  viewer: Viewer;
}

/** A place that refers to something. */
export type LinkPlace =
  | { kind: 'page'; page: PageRecord; path: string; block: string | undefined }
  | { kind: 'reusable-content'; content: ReusableContentRecord };

export const presentLink = (
  reference: ContentRef,
  found: ResolvedReference,
  places: readonly LinkPlace[],
  view: LocationView,
): z.input<typeof LinkObject> => ({
  status: found.status,
  relation: reference.kind === 'reusable-content' || reference.kind === 'openapi' ? 'dependsOn' : 'reference',
  reference,
  targetReference: found.status !== 'broken' && found.target ? presentTarget(found.target, view) : undefined,
  locationReferences: places.map((place) => presentPlace(place, view)),
});

/** The size of the objects that contain a place in the content, in characters of JSON: they are repeated with each place. */
export const sizeOfContainers = (view: LocationView): number =>
  JSON.stringify(presentInSpace(view.here, view)).length;

export function presentPlace(place: LinkPlace, view: LocationView): Location {
  if (place.kind === 'reusable-content') {
    return {
      kind: 'reusable-content',
      ...presentInSpace(view.here, view),
      reusableContent: presentReusableContent(place.content, view.content),
    };
  }
  const { page, path, block } = place;
  return {
    kind: 'page',
    ...presentInSpace(view.here, view),
    page: presentPage({ page, path, pages: [] }, view.content),
    internalLocation: block === undefined ? undefined : { type: 'node', node: block },
  };
}

function presentTarget(target: Target, view: LocationView): Location {
  const { viewer } = view;
  switch (target.kind) {
    case 'url':
      return target;
    case 'file': {
      const file = presentFile(target.file, contentView(target.in, view));
      return { kind: 'file', ...presentInSpace(target.in, view), file };
    }
    case 'page': {
      const { page, path, anchor } = target;
      return {
        kind: 'page',
        ...presentInSpace(target.in, view),
        page: presentPage({ page, path, pages: [] }, contentView(target.in, view)),
        internalLocation: anchor === undefined ? undefined : { type: 'anchor', anchor },
      };
    }
    case 'reusable-content': {
      const reusableContent = presentReusableContent(target.content, contentView(target.in, view));
      return { kind: 'reusable-content', ...presentInSpace(target.in, view), reusableContent };
    }
    case 'space': {
      const { organization, space } = presentInSpace(target.in, view);
      return { kind: 'space', organization, space };
    }
    case 'collection':
      return {
        kind: 'collection',
        organization: presentOrganization(view.access.organization, viewer),
        collection: presentCollection(target.collection, target.level, viewer),
      };
    case 'user':
      return { kind: 'user', user: presentUser(target.user, viewer) };
    case 'openapi':
      return {
        kind: 'openapi',
        organization: presentOrganization(view.access.organization, viewer),
        openAPISpec: presentSpec(target.spec, viewer),
      };
  }
}

const contentView = ({ space }: VisibleSpace, { content }: LocationView): ContentView => ({
  ...content,
  space: space.id,
});

const presentInSpace = (visible: VisibleSpace, { access, here, changeRequest, viewer }: LocationView) => ({
  organization: presentOrganization(access.organization, viewer),
  space: presentSpace(visible.space, visible.level, viewer, visible.space.published),
  versionContext:
    changeRequest && visible === here ? { type: 'changeRequest' as const, changeRequest } : undefined,
});
