import type { AnyProcedure } from '@trpc/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signVisitorToken } from '../../routers/access/visitor-token.ts';
import type { Meta } from '../../routers/base/trpc.ts';
import { appRouter } from '../../routers/index.ts';
import { newId } from '../../schema/ids.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { call, idsFor } from './calls.ts';
import { operations, titled } from './operations.ts';
import { buildWorld, type World } from './world.ts';

/** All procedures that visitors of a site may call. A procedure that admits them must also be added here. */
const VISITOR_PROCEDURES = [
  'spaces.get',
  'content.get',
  'content.pages',
  'content.page',
  'content.pageByPath',
  'content.files',
  'content.file',
  'content.reusableContent',
  'documents.get',
  'revisions.get',
  'revisions.pages',
  'revisions.page',
  'revisions.pageByPath',
  'revisions.files',
  'revisions.file',
  'revisions.fileSpec',
  'revisions.reusableContent',
  'revisions.pageDocument',
  'revisions.headings',
  'revisions.reusableContentDocument',
  'sites.get',
  'publishedSite.get',
  'siteStructure.get',
  'siteSections.list',
  'siteSpaces.list',
  'siteRedirects.getBySource',
  'embeds.get',
  'pdf.get',
  'search.searchSpace',
  'search.searchSite',
  'latestSpecVersion.get',
  'latestSpecVersion.content',
  'latestSpecVersion.raw',
];

let service: TestService;
let world: World;
let token: string;
beforeAll(async () => {
  service = await startTestService();
  world = await buildWorld(service);
  const organization = world.ids.organizationId as string;
  const visitor = { site: newId(), organization, pass: {}, claims: { signed: {}, unsigned: {} } };
  token = await signVisitorToken(service.runtime.services.signer, visitor);
});
afterAll(() => service.close());

const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, AnyProcedure>);
const guarded = operations.filter(({ meta }) => meta.openapi?.protect !== false);

test('only the listed procedures admit visitors', () => {
  const admitting = procedures.filter(([, { _def }]) => (_def.meta as Meta | undefined)?.visitors);
  expect(admitting.map(([name]) => name).sort()).toEqual([...VISITOR_PROCEDURES].sort());
});

describe('an operation that does not admit visitors is denied to them', () => {
  const others = guarded.filter(({ name }) => !VISITOR_PROCEDURES.includes(name));
  test.for(titled(others))('%s', async ([, operation]) => {
    // They are denied before anything else is checked.
    const url = `/v1${operation.path.replace(/\{\w+\}/g, 'x')}`;
    const headers = { authorization: `Bearer ${token}` };
    const method = operation.method as 'GET';
    expect((await service.app.inject({ method, url, headers })).statusCode).toBe(404);
  });
});

describe('an operation that admits visitors shows them nothing of other sites', () => {
  const admitting = guarded.filter(({ name }) => VISITOR_PROCEDURES.includes(name));
  test.for(titled(admitting))('%s', async ([, operation]) => {
    expect((await call(world.admin, operation, idsFor(operation, world))).status).toBe(200);
    expect((await call(service.as(token), operation, idsFor(operation, world))).status).toBe(404);
  });
});

test('visitors cannot subscribe to events', async () => {
  const url = `/v1/orgs/${world.ids.organizationId}/events`;
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  expect((await service.app.inject({ url, headers })).statusCode).toBe(404);
});

describe('visitors are denied over tRPC as well', () => {
  const isOpen = (meta: Meta | undefined) => meta?.openapi?.protect === false;
  const others = procedures.filter(
    ([name, { _def }]) => !VISITOR_PROCEDURES.includes(name) && !isOpen(_def.meta as Meta | undefined),
  );
  test.for(others.map(([name, { _def }]) => [name, _def.type] as const))('%s', async ([name, type]) => {
    const isMutation = type === 'mutation';
    const { statusCode, body } = await service.app.inject({
      method: isMutation ? 'POST' : 'GET',
      url: `/trpc/${name}${isMutation ? '' : '?input=%7B%22json%22%3A%7B%7D%7D'}`,
      headers: { authorization: `Bearer ${token}` },
      ...(isMutation && { payload: { json: {} } }),
    });
    // A stream starts with the error.
    if (type === 'subscription') return expect(body).toContain('NOT_FOUND');
    // The procedures of the operator are denied to everyone.
    expect(statusCode).toBe(name.startsWith('installation.') && !isMutation ? 403 : 404);
  });
});
