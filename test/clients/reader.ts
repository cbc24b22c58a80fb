/** What a renderer asks of a published site, in its order, and what it would lose of the answers. */

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

/** What was asked for, and what is lost, each with where it is. */
export interface Walk {
  calls: Record<string, number>;
  lost: string[];
}

/** How many of the pages, files and redirects of a large site are read. */
interface Limits {
  most: number;
}

const [contract] = PACKAGES;

/**
 * Walks the site at a published address with nothing but what the answers say.
 * @param endpoint where the service is reached
 * @param redirects paths that lead elsewhere
 */
export async function walkSite(
  endpoint: string,
  root: string,
  { redirects, limits }: { redirects: readonly string[]; limits: Limits },
): Promise<Walk> {
  const { GitBookAPI } = contract as (typeof PACKAGES)[number];
  const walk: Walk = { calls: {}, lost: [] };
  /** The data of an answer; undefined if there is none, which is lost. */
  const ask = async (name: string, answer: () => Promise<{ data: Published }>): Promise<Published> => {
    walk.calls[name] = (walk.calls[name] ?? 0) + 1;
    try {
      return (await answer()).data;
    } catch (error) {
      walk.lost.push(`${name}: ${(error as Error).message}`);
      return undefined;
    }
  };
  const anyone = new GitBookAPI({ endpoint });
  const lookUp = (url: string) =>
    ask(`lookup of ${url.startsWith(root) ? 'an address' : url}`, () =>
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
  const published = await ask('published site', () => api.orgs.getPublishedContentSite(organization, site));
  for (const siteSpace of siteSpacesIn(published?.structure.structure ?? [])) {
    if (!published.customizations.siteSpaces[siteSpace.id])
      walk.lost.push(`customization of ${siteSpace.id}`);
    await walkSpace(siteSpace.space.id);
  }
  for (const source of sampled(redirects, limits)) {
    const redirect = await ask('redirect', () =>
      api.orgs.getSiteRedirectBySource(organization, site, { source }),
    );
    if (redirect) await lookUp(redirect.target);
  }
  return walk;

  async function walkSpace(id: string): Promise<void> {
    const space = await ask('space', () => api.spaces.getSpaceById(id));
    const revision =
      space &&
      (await ask('revision', () => api.spaces.getRevisionById(id, space.revision, { metadata: true })));
    if (!revision) return;
    const at = [id, space.revision] as const;
    const listed = new Set(listedIn(revision.pages).map((page) => page.id));
    const pages = allIn(revision.pages);
    for (const page of pages)
      if (!listed.has(page.id)) walk.lost.push(`contents: ${page.type} "${page.title}"`);
    const documents = pages.filter(({ type }) => type === 'document');
    for (const page of sampled(documents, limits)) await walkPage(at, page);
    for (const { downloadURL } of sampled<{ downloadURL: string }>(revision.files, limits)) {
      const { pathname, search } = new URL(downloadURL);
      await ask('file', async () => {
        const answer = await fetch(`${endpoint}${pathname}${search}`, { headers: { range: 'bytes=0-0' } });
        await answer.arrayBuffer();
        // An empty file has no bytes to give.
        if (answer.status !== 206 && answer.status !== 416) throw new Error(`${answer.status} ${pathname}`);
        return { data: undefined };
      });
    }
  }

  async function walkPage(at: readonly [string, string], { id, path = '' }: Page): Promise<void> {
    const { pathname } = (await lookUp(`${root}/${path.split('/').map(encodeURIComponent).join('/')}`)) ?? {};
    if (pathname !== path) walk.lost.push(`address of ${path}: ${pathname}`);
    await ask('page by path', () => api.spaces.getPageInRevisionByPath(...at, encodeURIComponent(path)));
    await walkDocument(at, path, () =>
      api.spaces.getPageDocumentInRevisionById(...at, id, {
        evaluated: 'deterministic-only',
        dereferenced: 'reusable-contents',
      }),
    );
    const page = await ask('Markdown', () =>
      api.spaces.getPageInRevisionById(...at, id, { format: 'markdown' }),
    );
    for (const [address = ''] of String(page?.markdown).matchAll(
      /\]\((?:\/(?:spaces|pages|files)\/|\/reusable)[^)]*\)/g,
    ))
      walk.lost.push(`Markdown of ${path}: ${address}`);
  }

  async function walkDocument(
    at: readonly [string, string],
    path: string,
    read: () => Promise<{ data: Published }>,
  ): Promise<void> {
    const document = await ask('document', read);
    for (const node of nodesIn(document)) {
      const problem = problemOf(node);
      if (problem) walk.lost.push(`${path}: ${problem}`);
      const { data = {}, type } = node;
      if (type === 'embed')
        await ask('embed', () => api.spaces.getEmbedByUrlInSpace(at[0], { url: String(data.url) }));
      const ref = asRef(data.ref);
      if (ref?.kind === 'openapi')
        await ask('specification', () => api.orgs.getLatestOpenApiSpecVersionContent(organization, ref.spec));
      if (ref?.kind === 'reusable-content')
        await walkDocument(at, `${path} (reusable)`, () =>
          api.spaces.getReusableContentDocumentInRevisionById(...at, ref.reusableContent, {
            evaluated: 'deterministic-only',
          }),
        );
    }
  }
}

/** Some of a list, spread evenly over it. */
const sampled = <Item>(items: readonly Item[], { most }: Limits): Item[] =>
  items.filter(
    (_, index) =>
      Math.floor((index * most) / items.length) !== Math.floor(((index - 1) * most) / items.length),
  );

const siteSpacesIn = (items: Published[]): Published[] =>
  items.flatMap((item) =>
    item.object === 'site-space' ? [item] : siteSpacesIn(item.siteSpaces ?? item.children),
  );

const allIn = (pages: readonly Page[]): Page[] => pages.flatMap((page) => [page, ...allIn(page.pages ?? [])]);

/** The pages in a table of contents: below a page or group it lists no groups. */
const listedIn = (pages: readonly Page[], isTop = true): Page[] =>
  pages
    .filter(({ type }) => isTop || type !== 'group')
    .flatMap((page) => [page, ...listedIn(page.pages ?? [], false)]);

/** Every block and inline in an answer, wherever it stands. */
function nodesIn(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  const isNode = 'object' in value && (value.object === 'block' || value.object === 'inline');
  return [...(isNode ? [value as Node] : []), ...Object.values(value).flatMap(nodesIn)];
}

/** The types of nodes that one of the published clients has. */
const TYPES: Readonly<Record<string, ReadonlySet<string>>> = {
  block: new Set(nodeTypes('block')),
  inline: new Set(nodeTypes('inline')),
};

/** What a reader loses of a node: one of a type that no published client has, or words that are kept as Markdown. */
export function problemOf({ object, type, data = {} }: Node): string | undefined {
  if (type === 'markdown') {
    const words = String(data.markdown ?? '').replace(/<!--[\s\S]*?-->|<[^<>]*>|\{%[^%]*%\}/g, '');
    return /[\p{L}\p{N}]/u.test(words) ? `words that nobody draws: ${words.slice(0, 100)}` : undefined;
  }
  return TYPES[object]?.has(type) ? undefined : `${object} of an unknown type: ${type}`;
}
