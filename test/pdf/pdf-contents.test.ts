import { hash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Outbound } from '../../routers/base/outbound-ports.ts';
import { makePdf } from '../../routers/pdf/make.operation.ts';
import { jobContext } from '../../server/context.ts';
import { buildScene, type Scene } from '../audience/scene.ts';
import { apiWith, publishSpec } from '../content/published-spec.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { forgetPdfs, makeWaiting, printedFor as printedAt, recorder } from './making.ts';

let service: TestService;
let scene: Scene;
let at: string;
beforeAll(async () => {
  service = await startTestService();
  scene = await buildScene(service);
  at = `${scene.space.at}/pdf`;
});
afterAll(() => service.close());

const printedFor = (client: Client, query = '') => printedAt(service, client, `${at}${query}`);

describe('the contents of a PDF', () => {
  test('a PDF for members has all pages that are not hidden, and all content with conditions', async () => {
    const { titles, text } = await printedFor(scene.admin);
    expect(titles).toEqual(['Conditional', 'Below', 'Start']);
    expect(text).toContain('For some.');
  });

  test('a PDF for a visitor has only what they may read', async () => {
    const everyone = await printedFor(await scene.visitor());
    expect(everyone.titles).toEqual(['Start']);
    expect(everyone.text).not.toContain('For some.');
    const pro = await printedFor(await scene.visitor({ isPro: true }));
    expect(pro.titles).toEqual(['Conditional', 'Below', 'Start']);
    expect(pro.text).toContain('For some.');
  });

  test('a PDF of a page has the pages below it, unless only the page is requested', async () => {
    const page = scene.space.pages.Conditional;
    expect((await printedFor(scene.admin, `?page=${page}`)).titles).toEqual(['Conditional', 'Below']);
    expect((await printedFor(scene.admin, `?page=${page}&only=true`)).titles).toEqual(['Conditional']);
    const hidden = scene.space.pages.Hidden;
    expect((await printedFor(await scene.visitor(), `?page=${hidden}`)).titles).toEqual([
      'Hidden',
      'Below hidden',
    ]);
  });

  test('a PDF has pictures from other servers, and the OpenAPI documents of operations', async () => {
    await forgetPdfs(service);
    const { services, database } = service.runtime;
    const { db } = database;
    const { version } = await publishSpec(service, scene.organization, 'printed', apiWith({ 'get /a': {} }));
    const { document } = await db
      .selectFrom('openapi_spec_version')
      .select('document')
      .where('id', '=', version)
      .executeTakeFirstOrThrow();
    const markdown = [
      '![A](https://good.example/a.png)',
      '![B](https://bad.example/b.png)',
      '[no picture](https://good.example/c.png)',
      '{% openapi-operation spec="printed" path="/a" method="get" %}\nx\n{% endopenapi-operation %}',
    ].join('\n\n');
    const change = { operation: 'insert_page', title: 'Outside', document: { markdown } };
    const { id } = await service.build.changeRequest(scene.space.id, { createdBy: scene.owner.id });
    const path = `${scene.space.at}/change-requests/${id}`;
    await expectOk(scene.admin.post(`${path}/content`, { changes: [change] }));
    await expectOk(scene.admin.get(`${path}/pdf`));
    const fetched: string[] = [];
    const outbound: Outbound = {
      ...services.outbound,
      async get(url) {
        fetched.push(url);
        return url.includes('good') ? { bytes: Buffer.from('a') } : { problem: 'It is down.' };
      },
    };
    const make = async () => {
      const recorded = recorder();
      const { id } = await database.db.selectFrom('pdf').select('id').orderBy('id').executeTakeFirstOrThrow();
      const used = { ...services, outbound, typesetter: recorded.typesetter };
      await makePdf(jobContext(database, used), id);
      return recorded;
    };
    const recorded = await make();
    expect(fetched.sort()).toEqual(['https://bad.example/b.png', 'https://good.example/a.png']);
    expect(recorded.files).toEqual([document, hash('sha256', 'a')]);
    expect(recorded.targets).toContain('"problem":"It is down."');
    expect(recorded.targets).toContain(`"spec":"${document}"`);

    await forgetPdfs(service);
    const { language } = await expectOk(scene.admin.get(scene.space.at));
    await expectOk(scene.admin.patch(scene.space.at, { language: 'de' }));
    await expectOk(scene.admin.get(`${path}/pdf`));
    expect((await make()).targets).toContain('"problem":"Das Bild konnte nicht geladen werden."');
    await expectOk(scene.admin.patch(scene.space.at, { language }));
  });

  test('a PDF has the OpenAPI documents of operations in files, but no other files', async () => {
    await forgetPdfs(service);
    const file = (ref: string, text: string) => ({
      operation: 'insert_files',
      files: [{ name: `${ref}.yaml`, base64: Buffer.from(text).toString('base64'), ref }],
    });
    const markdown =
      '{% openapi src="/files/spec" path="/a" method="get" %}\n{% endopenapi %}\n\n[Linked](/files/linked)\n';
    const text = 'openapi: 3.1.0\npaths: {/a: {get: {summary: Printed}}}\n';
    const changes = [
      file('spec', text),
      file('linked', text.replace('Printed', 'Linked')),
      { operation: 'insert_page', title: 'Operations', document: { markdown } },
    ];
    const { id } = await service.build.changeRequest(scene.space.id, { createdBy: scene.owner.id });
    const path = `${scene.space.at}/change-requests/${id}`;
    await expectOk(scene.admin.post(`${path}/content`, { changes }));
    await expectOk(scene.admin.get(`${path}/pdf`));
    const recorded = recorder();
    await makeWaiting(service, recorded.typesetter);
    const json = '{"openapi":"3.1.0","paths":{"/a":{"get":{"summary":"Printed"}}}}';
    expect(recorded.files).toEqual([hash('sha256', json)]);
    expect(recorded.targets).toContain(`"spec":"${hash('sha256', json)}"`);
  });

  test('a PDF of a change request has its content', async () => {
    await forgetPdfs(service);
    const { id, number } = await service.build.changeRequest(scene.space.id, { createdBy: scene.owner.id });
    const path = `${scene.space.at}/change-requests/${number}`;
    const change = { operation: 'insert_page', title: 'Proposed', document: { markdown: 'New.' } };
    await expectOk(scene.admin.post(`${path}/content`, { changes: [change] }));
    await expectOk(scene.admin.get(`${path}/pdf`));
    const recorded = recorder();
    await makeWaiting(service, recorded.typesetter);
    expect(recorded.titles).toContain('Proposed');
    expect((await scene.admin.get(`${scene.space.at}/change-requests/${id}/pdf`)).status).toBe(200);
  });
});

describe('requests for a PDF that are refused', () => {
  test('a PDF of a page that the caller may not read is not found', async () => {
    const visitor = await scene.visitor();
    for (const [client, page] of [
      [scene.admin, 'x'.repeat(20)],
      [visitor, scene.space.pages.Conditional],
      [visitor, scene.space.pages.Below],
    ] as const) {
      const { status, body } = await client.get(`${at}?page=${page}`);
      expect([status, body.error.message]).toEqual([404, 'There is no such page.']);
    }
  });

  test('a PDF fails once the site no longer shows the space to the visitor', async () => {
    await forgetPdfs(service);
    await expectOk((await scene.visitor()).get(at));
    await scene.update({ published: false });
    const recorded = recorder();
    await makeWaiting(service, recorded.typesetter);
    await scene.update({ published: true });
    expect(recorded.count).toBe(0);
    const { state } = await service.runtime.database.db
      .selectFrom('pdf')
      .select('state')
      .executeTakeFirstOrThrow();
    expect(state).toBe('failed');
  });

  test('a PDF is refused while too many are waiting, for visitors sooner than for members', async () => {
    await forgetPdfs(service);
    const page = scene.space.pages.Start;
    const visitors = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => scene.visitor({ isPro: true, index })),
    );
    for (const visitor of visitors) await expectOk(visitor.get(`${at}?page=${page}`));
    const { status, body } = await (await scene.visitor({ late: true })).get(at);
    expect([status, body.error.message]).toEqual([
      429,
      'Too many PDFs are waiting to be generated; try again soon.',
    ]);
    await expectOk(scene.admin.get(at));
    await forgetPdfs(service);
  });
});
