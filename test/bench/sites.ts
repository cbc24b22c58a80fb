import { rm } from 'node:fs/promises';
import { pino } from 'pino';
import { Site } from '../../schema/entities/site.ts';
import { SiteSection } from '../../schema/entities/site-section.ts';
import { SiteSpace } from '../../schema/entities/site-space.ts';
import { newId } from '../../schema/ids.ts';
import { buildApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import type { DatabaseHandle } from '../../server/database/database.ts';
import { openEmbeddedDatabase } from '../../server/embedded-postgres/index.ts';
import { openRuntime } from '../../server/runtime.ts';
import { makeDataDir, startServer } from './processes.ts';
import { statementsOf } from './queries.ts';
import { measure, type Target } from './reads.ts';
import { analyze, type Seed, seedSpaces } from './seed.ts';

/** The sections of a large site, each with this many variants. */
const SECTIONS = 100;
const VARIANTS = 3;

/** The number of different URLs that are resolved. */
const ADDRESSES = 50;

/** Compares resolving URLs of a large site with reading spaces, and counts the round trips of both and of its structure. */
export async function benchSites(): Promise<void> {
  const dataDir = await makeDataDir();
  const logger = pino({ level: 'warn' }, pino.destination(2));
  const config = readConfig({ DATA_DIR: dataDir, MAX_EVENT_LOOP_DELAY: '0' });
  const embedded = await openEmbeddedDatabase({ dataDir, role: 'tool', logger });
  const runtime = await openRuntime(config, { role: 'tool', logger });
  const seed = await seedSpaces(runtime.database, SECTIONS * VARIANTS);
  const site = await seedSite(runtime.database, seed);
  await analyze(runtime.database);
  const url = `http://localhost/sites/${site}`;
  const bodies = Array.from({ length: ADDRESSES }, (_, index) => ({
    url: `${url}/section-${index * 2}/variant-${index % VARIANTS}/guides/page-${index}`,
  }));
  const structure = `/v1/orgs/${seed.organization}/sites/${site}/structure`;
  const app = await buildApp(runtime, config, logger);
  const tripsOf = async (path: string, body?: object) =>
    (await statementsOf(app, path, seed.token, body)).at(-1)?.trip ?? 0;
  // The first request opens connections.
  await tripsOf(structure);
  console.log(
    `round trips: resolving a URL ${await tripsOf('/v1/urls/published', bodies[0])} (at most 3), ` +
      `the structure of ${SECTIONS} sections with ${SECTIONS * VARIANTS} site spaces ${await tripsOf(structure)} (at most 4)`,
  );
  await app.close();
  await runtime.close();

  const server = await startServer('server/main.ts', { DATA_DIR: dataDir });
  const targets: Record<string, Target> = {
    'one space': { server, paths: seed.spaces.slice(0, ADDRESSES).map((space) => `/v1/spaces/${space}`) },
    'resolve an address': {
      server,
      paths: bodies.map(() => '/v1/urls/published'),
      bodies,
      goal: ['one space', 0.5],
    },
  };
  await measure(targets, [seed.token]);
  await server.stop();
  await embedded.close();
  await rm(dataDir, { recursive: true, force: true });
}

function seedSite(database: DatabaseHandle, { organization, spaces }: Seed): Promise<string> {
  return database.transaction(async (em) => {
    const site = newId();
    em.create(Site, { id: site, organization, title: 'Large', published: true });
    for (let number = 0; number < SECTIONS; number++) {
      const section = newId();
      const path = `section-${number}`;
      em.create(SiteSection, {
        id: section,
        site,
        title: path,
        path,
        isDefault: number === 0,
        position: section,
      });
      for (let variant = 0; variant < VARIANTS; variant++) {
        const id = newId();
        em.create(SiteSpace, {
          id,
          site,
          section,
          space: spaces[number * VARIANTS + variant] as string,
          path: `variant-${variant}`,
          isDefault: variant === 0,
          position: id,
        });
      }
    }
    await em.flush();
    return site;
  });
}
