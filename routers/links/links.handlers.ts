import { z } from 'zod';
import { handlersFor } from '../base/mount.ts';
import type { ChangeRequestObject } from '../change-requests/change-requests.api.ts';
import { viewOf } from '../content/readable-content.query.ts';
import { notFound } from '../engine/errors.ts';
import type { Snapshot } from '../engine/store/snapshot.ts';
import { type ListContext, listOf, type PageInput, paging, readSortedPage } from '../sql/pagination.ts';
import {
  LINK_STATUSES,
  LinkObject,
  LinkStats,
  LocationObject,
  type LocationView,
  MAX_PLACES,
  presentLink,
  presentPlace,
  sizeOfContainers,
} from './links.api.ts';
import {
  type CheckedLink,
  hasPage,
  type LinkedContent,
  readAccess,
  readAllLinks,
  readBacklinks,
  readPageLinks,
  readPlaces,
} from './links.query.ts';

/** Maximum size of what the places of one link repeat, in characters of JSON. */
const MAX_PLACES_SIZE = 1_000_000;

const status = { status: z.enum(LINK_STATUSES).optional().describe('Only links with this status.') };
const linksInput = z.object({ ...paging, ...status });
const changeRequestLinksInput = linksInput.extend({
  brokenContext: z
    .enum(['change-request', 'space'])
    .optional()
    .describe(
      'Of broken links, only those that the change request broke, or only those that were broken before.',
    ),
});
const pageLinksInput = z.object({
  pageId: z.string().describe('The id of the page; it stays the same when the page is renamed or moved.'),
  ...paging,
  ...status,
});
const linksOutput = listOf(LinkObject).extend({ stats: LinkStats.describe('Counts of the links.') });
const backlinksOutput = listOf(LocationObject);

interface ListedContent extends LinkedContent, Pick<ListContext, 'path'> {
  /** For content of a change request: the change request, and the content that it is compared with. */
  comparedWith?: { changeRequest: z.infer<typeof ChangeRequestObject>; base: () => Promise<Snapshot> };
}

const handler = handlersFor<ListedContent>();

type LinksInput = z.output<typeof changeRequestLinksInput>;

/** The links of a page. @throws DomainError `not-found` */
const listPageLinks = (content: ListedContent, input: LinksInput & { pageId: string }) =>
  listLinks(content, input, (inside, access) => readPageLinks(inside, access, input.pageId));

/** The links of all pages and reusable contents. */
const listAllLinks = (content: ListedContent, input: LinksInput) => listLinks(content, input, readAllLinks);

type ReadLinks = (
  content: LinkedContent,
  access: Awaited<ReturnType<typeof readAccess>>,
) => Promise<CheckedLink[] | undefined>;

async function listLinks(
  content: ListedContent,
  input: LinksInput,
  readLinks: ReadLinks,
): Promise<z.input<typeof linksOutput>> {
  const access = await readAccess(content);
  const links = await readLinks(content, access);
  if (!links) throw notFound('page');
  const broken = links.filter(isBroken);
  const before = broken.length > 0 && content.comparedWith ? await content.comparedWith.base() : undefined;
  const linksBefore = before && (await readLinks({ ...content, snapshot: before }, access));
  const brokenBefore = new Set(linksBefore?.filter(isBroken).map(({ key }) => key));
  const { status, brokenContext } = input;
  const matching = links.filter((link) => {
    if (status !== undefined && link.found.status !== status) return false;
    if (brokenContext === undefined || !isBroken(link)) return true;
    return brokenBefore.has(link.key) === (brokenContext === 'space');
  });
  const view = locationView(content, access);
  const size = sizeOfContainers(view);
  // guard: link-places
  const mostPlaces = Math.min(MAX_PLACES, Math.floor(MAX_PLACES_SIZE / size));
  const listedPlaces = ({ places }: CheckedLink) => places.slice(0, mostPlaces);
  const sizeOf = (link: CheckedLink) => size * (1 + listedPlaces(link).length);
  const page = await readSortedPage(content, input, matching, ({ key }) => key, sizeOf);
  const places = await readPlaces(content, page.items.flatMap(listedPlaces));
  return {
    ...page,
    items: page.items.map((link) =>
      presentLink(
        link.ref,
        link.found,
        listedPlaces(link).flatMap((place) => places.get(place) ?? []),
        view,
      ),
    ),
    stats: {
      total: links.length,
      broken: {
        total: broken.length,
        changeRequest: content.comparedWith && broken.filter(({ key }) => !brokenBefore.has(key)).length,
      },
    },
  };
}

const isBroken = ({ found }: CheckedLink): boolean => found.status === 'broken';

/** The places that refer to a page of the content. @throws DomainError `not-found` */
async function listPageBacklinks(content: ListedContent, input: PageInput & { pageId: string }) {
  if (!(await hasPage(content, input.pageId))) throw notFound('page');
  return listBacklinks(content, input, input.pageId);
}

/** The places that refer to a file of the content. @throws DomainError `not-found` */
async function listFileBacklinks(content: ListedContent, input: PageInput & { fileId: string }) {
  if (!(await content.snapshot.file(input.fileId))) throw notFound('file');
  return listBacklinks(content, input, input.fileId);
}

async function listBacklinks(
  content: ListedContent,
  input: PageInput,
  target: string,
): Promise<z.input<typeof backlinksOutput>> {
  const [access, all] = await Promise.all([readAccess(content), readBacklinks(content, target)]);
  const view = locationView(content, access);
  const size = sizeOfContainers(view);
  const page = await readSortedPage(
    content,
    input,
    all,
    ({ key }) => key,
    () => size,
  );
  const places = await readPlaces(content, page.items);
  return {
    ...page,
    items: page.items.flatMap((place) => {
      const found = places.get(place);
      return found ? [presentPlace(found, view)] : [];
    }),
  };
}

const locationView = (
  content: ListedContent,
  access: Awaited<ReturnType<typeof readAccess>>,
): LocationView => ({
  access,
  here: { space: content.space, level: content.level },
  changeRequest: content.comparedWith?.changeRequest,
  content: viewOf(content, { metadata: true }),
  viewer: content.viewer,
});

/** Lists all links of a space's content. */
export const spaceLinks = handler.query({ input: linksInput, output: linksOutput, resolve: listAllLinks });

/** Lists all links of a change request, and counts those that it broke. */
export const changeRequestLinks = handler.query({
  input: changeRequestLinksInput,
  output: linksOutput,
  resolve: listAllLinks,
});

/** Lists the links of a page, and the places that refer to a page or file. */
export const contentLinks = {
  ofPage: handler.query({ input: pageLinksInput, output: linksOutput, resolve: listPageLinks }),
  toPage: handler.query({
    input: z.object({
      pageId: z.string().describe('The id of the page; it stays the same when the page is renamed or moved.'),
      ...paging,
    }),
    output: backlinksOutput,
    resolve: listPageBacklinks,
  }),
  toFile: handler.query({
    input: z.object({ fileId: z.string().describe('The id of the file.'), ...paging }),
    output: backlinksOutput,
    resolve: listFileBacklinks,
  }),
};
