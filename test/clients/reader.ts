/** The requests of a renderer to a published site, in their order, and what is missing in the responses. */

import { asRef } from '../../routers/engine/document/refs.ts';
import { nodeTypes } from '../helpers/published-documents.ts';
import { PACKAGES, type Published } from './packages.ts';

interface Page {
  id: string;
  title: string;
  type: string;
  path?: string;
  pages?: Page[];
}

interface Node {
  object: string;
  type: string;
  data?: Record<string, unknown>;
}

/** The number of requests by name, and what is missing, with its location. */
export interface Walk {
  calls: Record<string, number>;
  missing: string[];
}

/** How many of the pages, files and redirects of a large site are read, at most. */
interface Limits {
  max: number;
}

const [contract] = PACKAGES;

/**
 * Walks a published site, using only what the responses tell.
 * @param endpoint the URL of the API
 * @param redirects paths that redirect elsewhere
 */
export async function walkSite(
  endpoint: string,
  root: string,
  { redirects, limits }: { redirects: readonly string[]; limits: Limits },
): Promise<Walk> {
  const { GitBookAPI } = contract as (typeof PACKAGES)[number];
  const walk: Walk = { calls: {}, missing: [] };
  /** The data of a response; undefined, and noted as missing, if the request fails. */
  const request = async (name: string, send: () => Promise<{ data: Published }>): Promise<Published> => {
    walk.calls[name] = (walk.calls[name] ?? 0) + 1;
    try {
      return (await send()).data;
    } catch (error) {
      walk.missing.push(`${name}: ${(error as Error).message}`);
      return undefined;
    }
  };
  const anyone = new GitBookAPI({ endpoint });
  const lookUp = (url: string) =>
    request(`lookup of ${url.startsWith(root) ? 'an address' : url}`, () =>
      anyone.urls.resolvePublishedContentByUrl({
        url,
        visitor: { unsignedClaims: {} },
        redirectOnError: true,
      }),
    );
  const found = await lookUp(`${root}/`);
  if (!found) return walk;
  const api = new GitBookAPI({ endpoint, authToken: found.apiToken });
  const { organization, site } = found;
  const published = await request('published site', () =>
    api.orgs.getPublishedContentSite(organization, site),
  );
  for (const siteSpace of siteSpacesIn(published?.structure.structure ?? [])) {
    if (!published.customizations.siteSpaces[siteSpace.id])
      walk.missing.push(`customization of ${siteSpace.id}`);
    await walkSpace(siteSpace.space.id);
  }
  for (const source of sampled(redirects, limits)) {
    const redirect = await request('redirect', () =>
      api.orgs.getSiteRedirectBySource(organization, site, { source }),
    );
    if (redirect) await lookUp(redirect.target);
  }
  return walk;

  async function walkSpace(id: string): Promise<void> {
    const space = await request('space', () => api.spaces.getSpaceById(id));
    const revision =
      space &&
      (await request('revision', () => api.spaces.getRevisionById(id, space.revision, { metadata: true })));
    if (!revision) return;
    const at = [id, space.revision] as const;
    const listed = new Set(listedIn(revision.pages).map((page) => page.id));
    const pages = allIn(revision.pages);
    for (const page of pages)
      if (!listed.has(page.id)) walk.missing.push(`contents: ${page.type} "${page.title}"`);
    const documents = pages.filter(({ type }) => type === 'document');
    for (const page of sampled(documents, limits)) await walkPage(at, page);
    for (const { downloadURL } of sampled<{ downloadURL: string }>(revision.files, limits)) {
      const { pathname, search } = new URL(downloadURL);
      await request('file', async () => {
        const response = await fetch(`${endpoint}${pathname}${search}`, { headers: { range: 'bytes=0-0' } });
        await response.arrayBuffer();
        // An empty file has no bytes.
        if (response.status !== 206 && response.status !== 416)
          throw new Error(`${response.status} ${pathname}`);
        return { data: undefined };
      });
    }
  }

  async function walkPage(at: readonly [string, string], { id, path = '' }: Page): Promise<void> {
    const { pathname } = (await lookUp(`${root}/${path.split('/').map(encodeURIComponent).join('/')}`)) ?? {};
    if (pathname !== path) walk.missing.push(`address of ${path}: ${pathname}`);
    await request('page by path', () => api.spaces.getPageInRevisionByPath(...at, encodeURIComponent(path)));
    await walkDocument(at, path, () =>
      api.spaces.getPageDocumentInRevisionById(...at, id, {
        evaluated: 'deterministic-only',
        dereferenced: 'reusable-contents',
      }),
    );
    const page = await request('Markdown', () =>
      api.spaces.getPageInRevisionById(...at, id, { format: 'markdown' }),
    );
    for (const [address = ''] of String(page?.markdown).matchAll(
      /\]\((?:\/(?:spaces|pages|files)\/|\/reusable)[^)]*\)/g,
    ))
      walk.missing.push(`Markdown of ${path}: ${address}`);
  }

  async function walkDocument(
    at: readonly [string, string],
    path: string,
    read: () => Promise<{ data: Published }>,
  ): Promise<void> {
    const document = await request('document', read);
    for (const node of nodesIn(document)) {
      const problem = missingContent(node);
      if (problem) walk.missing.push(`${path}: ${problem}`);
      const { data = {}, type } = node;
      if (type === 'embed')
        await request('embed', () => api.spaces.getEmbedByUrlInSpace(at[0], { url: String(data.url) }));
      const ref = asRef(data.ref);
      if (ref?.kind === 'openapi')
        await request('specification', () =>
          api.orgs.getLatestOpenApiSpecVersionContent(organization, ref.spec),
        );
      if (ref?.kind === 'reusable-content')
        await walkDocument(at, `${path} (reusable)`, () =>
          api.spaces.getReusableContentDocumentInRevisionById(...at, ref.reusableContent, {
            evaluated: 'deterministic-only',
          }),
        );
    }
  }
}

/** A sample of a list, spread evenly over it. */
const sampled = <Item>(items: readonly Item[], { max }: Limits): Item[] =>
  items.filter(
    (_, index) => Math.floor((index * max) / items.length) !== Math.floor(((index - 1) * max) / items.length),
  );

const siteSpacesIn = (items: Published[]): Published[] =>
  items.flatMap((item) =>
    item.object === 'site-space' ? [item] : siteSpacesIn(item.siteSpaces ?? item.children),
  );

const allIn = (pages: readonly Page[]): Page[] => pages.flatMap((page) => [page, ...allIn(page.pages ?? [])]);

/** The pages in a table of contents, which shows groups only at the top level. */
const listedIn = (pages: readonly Page[], isTop = true): Page[] =>
  pages
    .filter(({ type }) => isTop || type !== 'group')
    .flatMap((page) => [page, ...listedIn(page.pages ?? [], false)]);

/** All blocks and inlines in a response, at any depth. */
function nodesIn(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  const isNode = 'object' in value && (value.object === 'block' || value.object === 'inline');
  return [...(isNode ? [value as Node] : []), ...Object.values(value).flatMap(nodesIn)];
}

/** The node types of the published clients. */
const TYPES: Readonly<Record<string, ReadonlySet<string>>> = {
  block: new Set(nodeTypes('block')),
  inline: new Set(nodeTypes('inline')),
};

/** What a reader would not see: a node of a type that no published client has, or words that are only kept as Markdown. */
export function missingContent({ object, type, data = {} }: Node): string | undefined {
  if (type === 'markdown') {
    const words = String(data.markdown ?? '').replace(/<!--[\s\S]*?-->|<[^<>]*>|\{%[^%]*%\}/g, '');
    return /[\p{L}\p{N}]/u.test(words) ? `words that nobody draws: ${words.slice(0, 100)}` : undefined;
  }
  return TYPES[object]?.has(type) ? undefined : `${object} of an unknown type: ${type}`;
}
