import { describe, expect, expectTypeOf, test } from 'vitest';
import { mount } from '../routers/base/mount.ts';
import { taggedRoutes } from '../routers/base/route.ts';
import { contentHandlers } from '../routers/content/content.handlers.ts';
import { activeContentProcedure } from '../routers/content/content.procedures.ts';
import { userPermissionHandlers } from '../routers/permissions/permissions.handlers.ts';

const route = taggedRoutes('Space content');
const page = route.get('/mounted/{spaceId}/{pageId}', 'Get a page', 'getMountedPage');

describe('a mounted handler', () => {
  const { page: handler } = contentHandlers;
  const mounted = mount(activeContentProcedure, { page: handler }, { page }).page;
  const written = activeContentProcedure
    .meta(page)
    .input(handler.input)
    .output(handler.output)
    .query(({ ctx, input }) => handler.resolve(ctx, input));

  test('a mounted handler is the same procedure as one written by hand, including its types', () => {
    expectTypeOf(mounted).toEqualTypeOf(written);
    type Input = (typeof mounted)['_def']['$types']['input'];
    expectTypeOf<Pick<Input, 'spaceId' | 'pageId'>>().toEqualTypeOf<{ spaceId: string; pageId: string }>();
    expect(mounted._def.meta).toEqual(written._def.meta);
    expect(mounted._def.inputs).toEqual(written._def.inputs);
  });

  test('a mounted handler does not compile on a base whose context lacks what it needs', () => {
    // @ts-expect-error content has no permissions to administrate
    mount(activeContentProcedure, { list: userPermissionHandlers.list }, { list: page });
  });
});
