import { hash } from 'node:crypto';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Outbound } from '../../routers/base/outbound-ports.ts';
import type { Typesetter } from '../../routers/base/ports.ts';
import { collectGarbage } from '../../routers/content/garbage.operation.ts';
import { makePdf } from '../../routers/pdf/make.operation.ts';
import { removeOldPdfs } from '../../routers/pdf/retention.operation.ts';
import { jobContext } from '../../server/context.ts';
import { WAIT } from '../../server/pdf/downloads.ts';
import { buildScene, type Scene } from '../audience/scene.ts';
import { apiWith, publishSpec } from '../content/published-spec.ts';
import { configuredApp } from '../helpers/configured-app.ts';
import { type Client, expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { readPdfFile } from './outline.ts';

let service: TestService;
let scene: Scene;
let at: string;
beforeAll(async () => {
  service = await startTestService();
  scene = await buildScene(service);
  at = `${scene.space.at}/pdf`;
});
afterAll(() => service.close());

/** Makes the waiting PDFs, optionally with a typesetter of the test. */
async function makeWaiting(typesetter?: Typesetter): Promise<void> {
  const { database, services } = service.runtime;
  const used = typesetter ? { ...services, typesetter } : services;
  const waiting = await database.db
    .selectFrom('pdf')
    .select('id')
    .where('state', 'in', ['pending', 'progress'])
    .execute();
  for (const { id } of waiting) await makePdf(jobContext(database, used), id);
}

/** The states of PDFs, in the order in which they were requested. */
const rows = () =>
  service.runtime.database.db
    .selectFrom('pdf')
    .select(['id', 'state', 'attempts', 'leased_until', 'problem'])
    .orderBy('id')
    .execute();

const forget = () => service.runtime.database.db.deleteFrom('pdf').execute();

const download = (url: string, headers: Record<string, string> = {}) =>
  service.app.inject({ url: url.replace('http://docs.test', ''), headers });

const PRINTED = {
  sha256: hash('sha256', '%PDF'),
  size: 4,
  pages: 1,
  notes: [],
  standard: 'tagged',
} as const;

/** A typesetter that accepts everything and produces nothing. */
function recorder() {
  const documents: string[] = [];
  const titles: string[] = [];
  const targets: string[] = [];
  const files: string[] = [];
  let count = 0;
  const typesetter: Typesetter = {
    open: async () => ({
      addDocument: async (_, json) => void documents.push(json),
      async addFile(sha256, bytes) {
        files.push(sha256);
        bytes.destroy();
      },
      async typeset(book) {
        count += 1;
        titles.push(...book.pages.map(({ title }) => title));
        targets.push(JSON.stringify(book.targets));
        return { ...PRINTED, bytes: Readable.from([Buffer.from('%PDF')]) };
      },
      discard: async () => undefined,
    }),
  };
  return {
    typesetter,
    titles,
    files,
    get text() {
      return documents.join('\n');
    },
    get targets() {
      return targets.join('\n');
    },
    get count() {
      return count;
    },
  };
}

/** The book that is printed for a request. */
async function printedFor(client: Client, query = '') {
  await forget();
  await expectOk(client.get(`${at}${query}`));
  const recorded = recorder();
  await makeWaiting(recorded.typesetter);
  return recorded;
}

describe('a PDF', () => {
  test('a PDF is made once, with its pages, and anyone can download it from its URL', async () => {
    await forget();
    const first = await expectOk(scene.admin.get(at));
    expect(first).toMatchObject({ object: 'pdf', state: 'pending' });
    expect(first.url).toMatch(
      /^http:\/\/docs\.test\/pdfs\/[\w-]+\/Guides\.pdf\?expires=\d+&signature=[\w-]+$/,
    );
    await makeWaiting();
    const second = await expectOk(scene.admin.get(at));
    expect(second).toMatchObject({ state: 'complete', progress: { done: 3, total: 3 } });
    const { statusCode, headers, rawPayload } = await download(second.url);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': 'inline; filename=Guides.pdf',
      'content-length': String(second.size),
    });
    const pdf = await readPdfFile(rawPayload);
    expect(pdf).toMatchObject({ pages: second.pages, title: 'Guides', language: 'en', isTagged: true });
    expect(pdf.outline).toEqual(['Conditional', 'Below', 'Start']);
    const part = await download(first.url, { range: 'bytes=0-3' });
    expect([part.statusCode, part.body]).toEqual([206, '%PDF']);
  });

  test('the file of a PDF is kept as long as the PDF', async () => {
    const { db } = service.runtime.database;
    const { storage } = service.runtime.services;
    const { file } = await db.selectFrom('pdf').select('file').executeTakeFirstOrThrow();
    await collectGarbage({ db, services: service.runtime.services }, { graceSeconds: -60 });
    expect(await storage.size(file as string)).toBeGreaterThan(0);
  });

  test('a PDF is not found at a URL that was altered or has expired', async () => {
    const { url, expiresAt } = await expectOk(scene.admin.get(at));
    const other = url.replace(/expires=(\d+)/, (_: string, time: string) => `expires=${Number(time) + 1}`);
    const forged = [
      url.replace(/signature=./, 'signature=~'),
      url.replace(/\/pdfs\/./, '/pdfs/~'),
      other,
      url.replace(/\?.*/, ''),
    ];
    for (const address of forged) expect((await download(address)).statusCode).toBe(404);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(expiresAt) + 1 });
    expect((await download(url)).statusCode).toBe(404);
    vi.useRealTimers();
  });

  test('a download that is abandoned while its PDF is made is logged once, as other requests are, and not as a failure', async () => {
    await forget();
    const { url } = await expectOk(scene.admin.get(at));
    const { app, lines } = await configuredApp(service.runtime, {}, 'info');
    const reads = vi.spyOn(service.runtime.database.db, 'selectFrom');
    try {
      await app.listen({ port: 0, host: '127.0.0.1' });
      const { port } = app.server.address() as AddressInfo;
      const request = get(url.replace('http://docs.test', `http://127.0.0.1:${port}`));
      request.on('error', () => undefined);
      await vi.waitFor(() => expect(reads).toHaveBeenCalledTimes(1));
      request.destroy();
      await vi.waitFor(() => expect(lines.join()).toContain('"left":true'), 5000);
      // A failure would be logged after the next read, if the client left after the first.
      await setTimeout(2 * WAIT.interval);
    } finally {
      reads.mockRestore();
      await app.close();
    }
    const logged = lines.map((line) => JSON.parse(line));
    expect(logged.filter(({ msg }) => msg.startsWith('request'))).toEqual([
      expect.objectContaining({ msg: 'request', level: 30, route: '/pdfs/:id/:name', left: true }),
    ]);
    expect(logged).not.toContainEqual(expect.objectContaining({ status: expect.anything() }));
  });

  test('a PDF is not rendered again for the same content', async () => {
    const { db } = service.runtime.database;
    const { count: first } = await printedFor(scene.admin);
    await db.updateTable('pdf').set({ key: 'of an earlier time' }).execute();
    await expectOk(scene.admin.get(at));
    const recorded = recorder();
    await makeWaiting(recorded.typesetter);
    expect([first, recorded.count]).toEqual([1, 0]);
    const files = await db.selectFrom('pdf').select(['state', 'file']).execute();
    expect(files).toHaveLength(2);
    expect(files[0]).toEqual(files[1]);
  });

  test('a PDF that cannot be made reports why', async () => {
    await forget();
    const { url } = await expectOk(scene.admin.get(at));
    const broken: Typesetter = {
      open: async () => ({
        ...(await recorder().typesetter.open()),
        typeset: () => Promise.reject(new Error('secret')),
      }),
    };
    for (const state of ['pending', 'pending', 'failed']) {
      const attempt = makeWaiting(broken);
      if (state === 'pending') await expect(attempt).rejects.toThrow('secret');
      await attempt.catch(() => undefined);
      expect(await rows()).toMatchObject([{ state, leased_until: null }]);
    }
    const problem = 'The PDF could not be generated. Try again later.';
    expect(await expectOk(scene.admin.get(at))).toMatchObject({ state: 'failed', problem });
    const response = await download(url);
    expect([response.statusCode, response.json().error.message]).toEqual([503, problem]);
  });

  test('a PDF is made by one process, and each organization has one made at a time', async () => {
    await forget();
    const page = scene.space.pages.Start;
    await expectOk(scene.admin.get(at));
    await expectOk(scene.admin.get(`${at}?page=${page}`));
    const { database, services } = service.runtime;
    const [first, second] = await rows();
    const recorded = recorder();
    const others: Promise<void>[] = [];
    const slow: Typesetter = {
      open: async () => ({
        ...(await recorded.typesetter.open()),
        async typeset() {
          const context = jobContext(database, { ...services, typesetter: recorded.typesetter });
          for (const row of [first, second]) others.push(makePdf(context, row?.id as string));
          await Promise.all(others);
          expect(await rows()).toMatchObject([{ state: 'progress' }, { state: 'pending', attempts: 0 }]);
          return { ...PRINTED, bytes: Readable.from([Buffer.from('%PDF')]) };
        },
      }),
    };
    await makePdf(jobContext(database, { ...services, typesetter: slow }), first?.id as string);
    expect([others.length, recorded.count]).toEqual([2, 0]);
    // Their jobs are postponed.
    const { rows: jobs } = await sql<{ pdf: string }>`
      select data ->> 'pdf' as pdf from pgboss.job
      where name = 'make-pdf' and start_after > now() order by 1`.execute(database.db);
    expect(jobs.map(({ pdf }) => pdf)).toEqual([first?.id, second?.id]);
    await makeWaiting(recorded.typesetter);
    expect(await rows()).toMatchObject([{ state: 'complete' }, { state: 'complete' }]);
  });

  test('a PDF whose process was killed is retried a few times', async () => {
    const { db } = service.runtime.database;
    await forget();
    await expectOk(scene.admin.get(at));
    const recorded = recorder();
    const killed = (attempts: number, leased: number) =>
      db
        .updateTable('pdf')
        .set({ state: 'progress', attempts, leased_until: new Date(Date.now() + leased) })
        .execute();
    await killed(1, 10_000);
    await makeWaiting(recorded.typesetter);
    expect(await rows()).toMatchObject([{ state: 'progress', attempts: 1 }]);
    await killed(1, -1000);
    await makeWaiting(recorded.typesetter);
    expect(await rows()).toMatchObject([{ state: 'complete', attempts: 2, leased_until: null }]);
    // The result of a process that has lost its claim is ignored.
    await killed(0, -1000);
    const slow: Typesetter = {
      open: async () => ({
        ...(await recorded.typesetter.open()),
        async typeset() {
          await killed(2, 10_000);
          return { ...PRINTED, bytes: Readable.from([Buffer.from('%PDF')]) };
        },
      }),
    };
    await db.updateTable('pdf').set({ source: null }).execute();
    await makeWaiting(slow);
    expect(await rows()).toMatchObject([{ state: 'progress', attempts: 2 }]);
    await killed(3, -1000);
    await makeWaiting(recorded.typesetter);
    expect(await rows()).toMatchObject([{ state: 'failed' }]);
    expect(recorded.count).toBe(1);
  });

  test('a PDF is removed once it has expired', async () => {
    const { db } = service.runtime.database;
    await db
      .updateTable('pdf')
      .set({ expires_at: new Date(0) })
      .execute();
    await removeOldPdfs({ db });
    expect(await db.selectFrom('pdf').selectAll().execute()).toEqual([]);
  });
});

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
    await forget();
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
      const [row] = await rows();
      const used = { ...services, outbound, typesetter: recorded.typesetter };
      await makePdf(jobContext(database, used), row?.id as string);
      return recorded;
    };
    const recorded = await make();
    expect(fetched.sort()).toEqual(['https://bad.example/b.png', 'https://good.example/a.png']);
    expect(recorded.files).toEqual([document, hash('sha256', 'a')]);
    expect(recorded.targets).toContain('"problem":"It is down."');
    expect(recorded.targets).toContain(`"spec":"${document}"`);

    await forget();
    const { language } = await expectOk(scene.admin.get(scene.space.at));
    await expectOk(scene.admin.patch(scene.space.at, { language: 'de' }));
    await expectOk(scene.admin.get(`${path}/pdf`));
    expect((await make()).targets).toContain('"problem":"Das Bild konnte nicht geladen werden."');
    await expectOk(scene.admin.patch(scene.space.at, { language }));
  });

  test('a PDF has the OpenAPI documents of operations in files, but no other files', async () => {
    await forget();
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
    await makeWaiting(recorded.typesetter);
    const json = '{"openapi":"3.1.0","paths":{"/a":{"get":{"summary":"Printed"}}}}';
    expect(recorded.files).toEqual([hash('sha256', json)]);
    expect(recorded.targets).toContain(`"spec":"${hash('sha256', json)}"`);
  });

  test('a PDF of a change request has its content', async () => {
    await forget();
    const { id, number } = await service.build.changeRequest(scene.space.id, { createdBy: scene.owner.id });
    const path = `${scene.space.at}/change-requests/${number}`;
    const change = { operation: 'insert_page', title: 'Proposed', document: { markdown: 'New.' } };
    await expectOk(scene.admin.post(`${path}/content`, { changes: [change] }));
    await expectOk(scene.admin.get(`${path}/pdf`));
    const recorded = recorder();
    await makeWaiting(recorded.typesetter);
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
    await forget();
    await expectOk((await scene.visitor()).get(at));
    await scene.update({ published: false });
    const recorded = recorder();
    await makeWaiting(recorded.typesetter);
    await scene.update({ published: true });
    expect(recorded.count).toBe(0);
    const { state } = await service.runtime.database.db
      .selectFrom('pdf')
      .select('state')
      .executeTakeFirstOrThrow();
    expect(state).toBe('failed');
  });

  test('a PDF is refused while too many are waiting, for visitors sooner than for members', async () => {
    await forget();
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
    await forget();
  });
});
