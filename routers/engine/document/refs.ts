import type { ContentRef, Data } from './document.ts';

export type RefKind = 'link' | 'image' | 'file' | 'include' | 'openapi';
/** Resolves a URL in Markdown to a reference; undefined leaves it a URL. */
export type Resolve = (href: string, kind: RefKind) => ContentRef | undefined;
/** Returns the reference for a URL in Markdown or HTML. */
export type RefOf = (href: string, kind: RefKind) => ContentRef;
/** Returns the URL for a reference. */
export type Href = (ref: ContentRef) => string;
/** Returns the URL for a reference in Markdown; undefined for the default. */
export type HrefOf = (ref: ContentRef) => string | undefined;

/** Whether a URL is what GitBook's exporter writes for a link whose target no longer exists. */
export const isBrokenLink = (url: string): boolean => /^(?:\/broken\/|broken-reference\/?$)/.test(url);

const ID = '([A-Za-z0-9_-]+)';
const PATTERN = new RegExp(
  `^(?:/spaces/${ID})?(?:/(pages|files|reusable-contents|users|collections|openapi)/${ID})?(?:#(.+))?$`,
);
/** The URL of a version of an OpenAPI spec. */
const SPEC = new RegExp(`^/openapi/${ID}@${ID}$`);

/** Maximum length of the slug of an OpenAPI spec. */
export const MAX_SPEC_NAME = 100;

/** Splits a reference into the slug or id of an OpenAPI spec and the id of a version, if there is one. */
export function specOf({ spec }: { spec: string }): { spec: string; version?: string } {
  const at = spec.indexOf('@');
  return at < 0 ? { spec } : { spec: spec.slice(0, at), version: spec.slice(at + 1) };
}

/** The default reference for a URL: `/pages/<id>#anchor`, `/files/<id>`, `#anchor`, else a URL. */
export function defaultRef(href: string): ContentRef {
  const url: ContentRef = { kind: 'url', url: href };
  if (SPEC.test(href)) return { kind: 'openapi', spec: href.slice('/openapi/'.length) };
  const match = PATTERN.exec(href);
  if (!match || href === '') return url;
  const [, space, kind, id, anchor] = match;
  const inSpace = space === undefined ? {} : { space };
  if (kind === 'pages' && id) {
    return anchor ? { kind: 'anchor', anchor, page: id, ...inSpace } : { kind: 'page', page: id, ...inSpace };
  }
  if (kind === undefined && anchor) return { kind: 'anchor', anchor, ...inSpace };
  if (anchor) return url;
  if (kind === undefined) return space ? { kind: 'space', space } : url;
  if (kind === 'files' && id) return { kind: 'file', file: id, ...inSpace };
  if (kind === 'reusable-contents' && id)
    return { kind: 'reusable-content', reusableContent: id, ...inSpace };
  if (space !== undefined || !id) return url;
  if (kind === 'users') return { kind: 'user', user: id };
  if (kind === 'collections') return { kind: 'collection', collection: id };
  return { kind: 'openapi', spec: id };
}

/** The inverse of `defaultRef`. */
export function defaultHref(ref: ContentRef): string {
  const space = 'space' in ref && ref.kind !== 'space' && ref.space ? `/spaces/${ref.space}` : '';
  switch (ref.kind) {
    case 'url':
      return ref.url;
    case 'page':
      return `${space}/pages/${ref.page}`;
    case 'anchor':
      return `${space}${ref.page ? `/pages/${ref.page}` : ''}#${ref.anchor}`;
    case 'file':
      return `${space}/files/${ref.file}`;
    case 'reusable-content':
      return `${space}/reusable-contents/${ref.reusableContent}`;
    case 'space':
      return `/spaces/${ref.space}`;
    case 'user':
      return `/users/${ref.user}`;
    case 'collection':
      return `/collections/${ref.collection}`;
    case 'openapi':
      return `/openapi/${ref.spec}`;
  }
}

/** The text fields of references by kind; the first one is the target. */
const FIELDS: ReadonlyMap<unknown, readonly [target: string, ...others: string[]]> = new Map(
  Object.entries({
    url: ['url'],
    page: ['page', 'space'],
    anchor: ['anchor', 'page', 'space'],
    file: ['file', 'space'],
    'reusable-content': ['reusableContent', 'space'],
    space: ['space'],
    user: ['user'],
    collection: ['collection'],
    openapi: ['spec'],
  } satisfies Record<ContentRef['kind'], [string, ...string[]]>),
);

/** Returns a value in the free-form data of a node as a reference; undefined if it is not a valid one. */
export function asRef(value: unknown): ContentRef | undefined {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined;
  const [target, ...others] = FIELDS.get(value.kind) ?? [];
  if (target === undefined) return undefined;
  const fields = value as Data;
  const isText = (name: string) => typeof fields[name] === 'string';
  const isWhole = isText(target) && others.every((name) => fields[name] === undefined || isText(name));
  return isWhole ? (value as ContentRef) : undefined;
}

/** The label of a URL without a title: the last segment of its path. */
export function labelOf(href: string): string {
  const path = href.replace(/[?#].*/s, '').replace(/(?<!\/)\/+$/, '');
  const last = path.slice(path.lastIndexOf('/') + 1);
  return /^[a-z][a-z0-9+.-]*:/i.test(href) || last === '' ? href : last;
}
