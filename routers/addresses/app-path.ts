import type { Urls } from '../base/ports.ts';

/** What a URL of the web app shows. */
export type AppPlace =
  | { kind: 'collection'; collection: string }
  | { kind: 'space'; space: string; page?: string; revision?: string; changeRequest?: string };

const PARTS = { pages: 'page', revisions: 'revision', 'change-requests': 'changeRequest' } as const;

/** Parses a URL made by `urls.app`; undefined for any other. */
export function parseAppUrl(urls: Urls, text: string): AppPlace | undefined {
  const url = URL.parse(text);
  const app = new URL(urls.app());
  if (url?.origin !== app.origin || !url.pathname.startsWith(`${app.pathname}/`)) return undefined;
  const [kind, id, ...rest] = url.pathname.slice(app.pathname.length + 1).split('/');
  if (!id) return undefined;
  if (kind === 'collections') return rest.length === 0 ? { kind: 'collection', collection: id } : undefined;
  if (kind !== 'spaces') return undefined;
  const [part, name, ...more] = rest.filter((segment) => segment !== '');
  if (part === undefined) return { kind: 'space', space: id };
  if (!Object.hasOwn(PARTS, part) || name === undefined || more.length > 0) return undefined;
  return { kind: 'space', space: id, [PARTS[part as keyof typeof PARTS]]: name };
}
