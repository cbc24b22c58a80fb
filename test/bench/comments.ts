import { rm } from 'node:fs/promises';
import { pino } from 'pino';
import { parseBody } from '../../routers/comments/body.ts';
import { postComment, postReply, updateComment } from '../../routers/comments/comments.operation.ts';
import { localEngine } from '../../routers/engine/tasks/engine.ts';
import { Member } from '../../schema/entities/member.ts';
import { Space } from '../../schema/entities/space.ts';
import { User } from '../../schema/entities/user.ts';
import { buildApp } from '../../server/app.ts';
import { readConfig } from '../../server/config.ts';
import type { DatabaseHandle } from '../../server/database/database.ts';
import { openRuntime } from '../../server/runtime.ts';
import { makeDataDir, median } from './processes.ts';
import { statementsOf } from './queries.ts';
import { type Seed, seedSpaces } from './seed.ts';

const COMMENTS = 200;
const PEOPLE = 5;
/** The number of reactions and of repliers of each comment. */
const EACH = 2;
const EMOJI = ['👍', '🎉', '❤️'];
const WARM_UP = 100;
const ROUNDS = 100;

/** Compares a list of 50 comments, with reactions and repliers, with a list of 50 spaces. */
export async function benchComments(): Promise<void> {
  const dataDir = await makeDataDir();
  const logger = pino({ level: 'warn' }, pino.destination(2));
  const config = readConfig({ DATA_DIR: dataDir, MAX_EVENT_LOOP_DELAY: '0' });
  const runtime = await openRuntime(config, { role: 'tool', logger });
  const seed = await seedSpaces(runtime.database, 50);
  await seedComments(runtime.database, seed);
  const app = await buildApp(runtime, config, logger);
  const { token, organization, spaces } = seed;
  const space = spaces[0];
  const paths = {
    spaces: `/v1/orgs/${organization}/spaces?limit=50`,
    comments: `/v1/spaces/${space}/comments?limit=50`,
    'comments as documents': `/v1/spaces/${space}/comments?limit=50&format=document`,
    'open comments': `/v1/spaces/${space}/comments?limit=50&status=open`,
  };
  const names = Object.keys(paths) as (keyof typeof paths)[];
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const name of names) {
      const started = performance.now();
      const response = await app.inject({ url: paths[name], headers: { authorization: `Bearer ${token}` } });
      const milliseconds = performance.now() - started;
      if (response.statusCode !== 200) throw new Error(response.body);
      if (round >= 0) times.get(name)?.push(milliseconds);
    }
  }
  const base = median(times.get('spaces') ?? []);
  const rows: Record<string, object> = {};
  for (const name of names) {
    const measured = median(times.get(name) ?? []);
    const statements = await statementsOf(app, paths[name], token);
    rows[`50 ${name}`] = {
      statements: statements.length,
      'round trips': statements.at(-1)?.trip,
      'at most': 4,
      'median ms': measured.toFixed(2),
      ratio: (measured / base).toFixed(2),
      goal: name === 'spaces' ? '' : 2,
    };
  }
  console.table(rows);
  await app.close();
  await runtime.close();
  await rm(dataDir, { recursive: true, force: true });
}

async function seedComments(database: DatabaseHandle, { organization, spaces }: Seed): Promise<void> {
  const [id = ''] = spaces;
  const people = await database.transaction(async (em) => {
    const users = Array.from({ length: PEOPLE }, (_, index) =>
      em.create(User, { displayName: `Person ${index}`, email: `person-${index}@example.com` }),
    );
    for (const user of users) em.create(Member, { organization, user: user.id, role: 'comment' });
    await em.flush();
    return users.map((user) => user.id);
  });
  const person = (index: number) => people[index % PEOPLE] as string;
  const BATCH = 50;
  for (let start = 0; start < COMMENTS; start += BATCH) {
    await database.transaction(async (em) => {
      const space = await em.findOneOrFail(Space, id);
      for (let index = start; index < start + BATCH; index++) {
        const body = await parseBody(localEngine, {
          markdown: `Is number **${index}** right? See [there](https://example.com).`,
        });
        const comment = await postComment(em, { space }, { author: person(index), body, target: {} });
        for (let other = 1; other <= EACH; other++) {
          const user = person(index + other);
          await postReply(em, { space }, { comment: comment.id, author: user, body });
          await updateComment(em, { space }, comment.id, user, { addedReactions: EMOJI.slice(0, other) });
        }
        const resolved = index % 2 === 0;
        await updateComment(em, { space }, comment.id, person(index), { resolved });
      }
    });
  }
}
