import { resolve } from 'node:path';
import { importSource } from '../../routers/imports/import.operation.ts';
import { openFolder } from '../../routers/installation/folder-source.ts';
import { runTranslation } from '../../routers/translations/run.operation.ts';
import { requestRun } from '../../routers/translations/translations.operation.ts';
import { jobContext, toolContext } from '../../server/context.ts';
import { openBenchService } from './content-service.ts';

/** The maximum time of a second run with one changed page, as a share of the first run. */
const SECOND = 0.1;

/**
 * Translates documentation repositories with the built-in engine, completely and again after a change of one page, and
 * reports the time of each run.
 */
export async function reportTranslations(folders: string[]): Promise<void> {
  const service = await openBenchService();
  const { runtime, seed, send } = service;
  const { database, services } = runtime;
  try {
    const { organization } = seed;
    for (const folder of folders) {
      const { body: space } = await send('POST', `/orgs/${organization}/spaces`, { title: 'Source' });
      const { pages } = await importSource(toolContext(database, services), {
        space: space.id,
        author: seed.user,
        source: await openFolder(resolve(folder)),
      });
      const path = `/orgs/${organization}/translations`;
      const source = { space: space.id, language: 'en' };
      const { body: translation } = await send('POST', path, { source, language: 'de' });
      const run = async () => {
        const row = await database.db
          .selectFrom('translation')
          .select('run')
          .where('id', '=', translation.id)
          .executeTakeFirstOrThrow();
        const started = performance.now();
        await runTranslation(jobContext(database, services), { translation: translation.id, run: row.run });
        const seconds = (performance.now() - started) / 1000;
        const { body } = await send('GET', `${path}/${translation.id}`);
        if (body.status !== 'completed' || body.error) throw new Error(JSON.stringify(body));
        return { seconds, stats: body.stats };
      };
      const first = await run();
      const { body: content } = await send('GET', `/spaces/${space.id}/content`);
      const document = { markdown: 'Some words that were not there before.' };
      const change = { operation: 'update_page', page: content.pages[0].id, document };
      await send('POST', `/spaces/${space.id}/content`, { changes: [change] });
      await database.transaction((em) => requestRun(em, services, translation.id, seed.user));
      const second = await run();
      const megabytes = Math.round(process.memoryUsage().rss / 1e6);
      console.log(
        `${folder}: ${pages} pages, ${first.stats.totalWords} words in ${first.seconds.toFixed(1)} s ` +
          `(${Math.round(pages / first.seconds)} pages/s); one changed page in ${second.seconds.toFixed(2)} s, ` +
          `${((second.seconds * 100) / first.seconds).toFixed(1)} % of it (at most ${SECOND * 100} %); ${megabytes} MB`,
      );
      if (second.seconds > first.seconds * SECOND) process.exitCode = 1;
    }
  } finally {
    await service.close();
  }
}
