import type { OpenApiMethod } from 'trpc-to-openapi';
import type { Meta } from './trpc.ts';

/** The chapters of the API, in the order of the contract; each is a tag of the OpenAPI document. */
export const CHAPTERS = [
  'Collections',
  'Spaces',
  'Space content',
  'Change requests',
  'Change request content',
  'Organizations',
  'Members',
  'Teams',
  'Users',
] as const;
export type Chapter = (typeof CHAPTERS)[number];

type RouteOptions = Pick<Meta, 'success' | 'bodyLimit'> & {
  /** The name of the operation in the published client, which generated clients take as the method's name. */
  operationId: string;
  description?: string;
  deprecated?: boolean;
  /** Open to callers without a token. */
  public?: boolean;
};

/**
 * Places a procedure in the REST facade:
 * `.meta(route('PATCH /spaces/{spaceId}', 'Spaces', 'Update a space', { operationId: 'updateSpaceById' }))`.
 */
export function route(
  at: `${OpenApiMethod} /${string}`,
  chapter: Chapter,
  summary: string,
  options: RouteOptions,
): Meta {
  const [method, path] = at.split(' ') as [OpenApiMethod, `/${string}`];
  const {
    success = method === 'DELETE' ? 'removal' : 200,
    bodyLimit,
    public: isPublic = false,
    ...openapi
  } = options;
  return {
    openapi: { method, path, summary, tags: [chapter], protect: !isPublic, ...openapi },
    success,
    ...(bodyLimit !== undefined && { bodyLimit }),
  };
}
