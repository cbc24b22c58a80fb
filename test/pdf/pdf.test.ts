import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Typesetter } from '../../routers/base/ports.ts';
import { collectGarbage } from '../../routers/content/garbage.operation.ts';
import { makePdf } from '../../routers/pdf/make.operation.ts';
import { removeOldPdfs } from '../../routers/pdf/retention.operation.ts';
import { jobContext } from '../../server/context.ts';
import { WAIT } from '../../server/pdf/downloads.ts';
import { buildScene, type Scene } from '../audience/scene.ts';
import { configuredApp } from '../helpers/configured-app.ts';
import { expectOk, startTestService, type TestService } from '../helpers/service.ts';
import { forgetPdfs, makeWaiting, PRINTED, printedFor, recorder } from './making.ts';
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

/** The states of PDFs, in the order in which they were requested. */
const rows = () =>
  service.runtime.database.db
    .selectFrom('pdf')
    .select(['id', 'state', 'attempts', 'leased_until', 'problem'])
    .orderBy('id')
    .execute();

const download = (url: string, headers: Record<string, string> = {}) =>
  service.app.inject({ url: url.replace('http://docs.test', ''), headers });

describe('a PDF', () => {
  test('a PDF is made once, with its pages, and anyone can download it from its URL', async () => {
    await forgetPdfs(service);
    const first = await expectOk(scene.admin.get(at));
    expect(first).toMatchObject({ object: 'pdf', state: 'pending' });
    expect(first.url).toMatch(
      /^http:\/\/docs\.test\/pdfs\/[\w-]+\/Guides\.pdf\?expires=\d+&signature=[\w-]+$/,
    );
    await makeWaiting(service);
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
    await forgetPdfs(service);
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
    const { count: first } = await printedFor(service, scene.admin, at);
    await db.updateTable('pdf').set({ key: 'of an earlier time' }).execute();
    await expectOk(scene.admin.get(at));
    const recorded = recorder();
    await makeWaiting(service, recorded.typesetter);
    expect([first, recorded.count]).toEqual([1, 0]);
    const files = await db.selectFrom('pdf').select(['state', 'file']).execute();
    expect(files).toHaveLength(2);
    expect(files[0]).toEqual(files[1]);
  });

  test('a PDF that cannot be made reports why', async () => {
    await forgetPdfs(service);
    const { url } = await expectOk(scene.admin.get(at));
    const broken: Typesetter = {
      open: async () => ({
        ...(await recorder().typesetter.open()),
        typeset: () => Promise.reject(new Error('secret')),
      }),
    };
    for (const state of ['pending', 'pending', 'failed']) {
      const attempt = makeWaiting(service, broken);
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
    await forgetPdfs(service);
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
    await makeWaiting(service, recorded.typesetter);
    expect(await rows()).toMatchObject([{ state: 'complete' }, { state: 'complete' }]);
  });

  test('a PDF whose process was killed is retried a few times', async () => {
    const { db } = service.runtime.database;
    await forgetPdfs(service);
    await expectOk(scene.admin.get(at));
    const recorded = recorder();
    const killed = (attempts: number, leased: number) =>
      db
        .updateTable('pdf')
        .set({ state: 'progress', attempts, leased_until: new Date(Date.now() + leased) })
        .execute();
    await killed(1, 10_000);
    await makeWaiting(service, recorded.typesetter);
    expect(await rows()).toMatchObject([{ state: 'progress', attempts: 1 }]);
    await killed(1, -1000);
    await makeWaiting(service, recorded.typesetter);
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
    await makeWaiting(service, slow);
    expect(await rows()).toMatchObject([{ state: 'progress', attempts: 2 }]);
    await killed(3, -1000);
    await makeWaiting(service, recorded.typesetter);
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
