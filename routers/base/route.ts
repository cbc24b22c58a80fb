import type { OpenApiMethod } from 'trpc-to-openapi';
import type { Meta } from './trpc.ts';

type RouteOptions = Pick<Meta, 'success' | 'body' | 'bodyLimit' | 'produces' | 'stream' | 'denials'> & {
  description?: string;
  deprecated?: boolean;
  /** Whether callers need no token. */
  public?: boolean;
};

/**
 * Makes functions for the REST routes of a feature; `title` is their tag in the OpenAPI document. A folder's `route.ts` has
 * `export const route = taggedRoutes('Spaces')`, for `.meta(route.patch('/spaces/{spaceId}', 'Update a space',
 * 'updateSpaceById'))`. The last argument is the operation id, which must match the published client: generated clients
 * name their methods after it.
 */
export const taggedRoutes = (title: string) => ({
  get: routeMaker(title, 'GET'),
  post: routeMaker(title, 'POST'),
  put: routeMaker(title, 'PUT'),
  patch: routeMaker(title, 'PATCH'),
  delete: routeMaker(title, 'DELETE'),
});

const routeMaker =
  (title: string, method: OpenApiMethod) =>
  (path: `/${string}`, summary: string, operationId: string, options: RouteOptions = {}): Meta => {
    const {
      success,
      body,
      bodyLimit,
      produces,
      stream,
      denials,
      public: isPublic = false,
      ...openapi
    } = options;
    return {
      openapi: { method, path, summary, operationId, tags: [title], protect: !isPublic, ...openapi },
      success: success ?? (method === 'DELETE' ? 'removal' : 200),
      ...(body !== undefined && { body }),
      ...(produces !== undefined && { produces }),
      ...(bodyLimit !== undefined && { bodyLimit }),
      ...(stream !== undefined && { stream }),
      ...(denials !== undefined && { denials }),
    };
  };
