import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Engine } from '../../routers/engine/tasks/engine.ts';
import { edit, MARKDOWN } from '../change-requests/scene.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { PLACES, setDiscussion } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Makes the search for targets wait, as in a large page that waits for a worker. */
function holdSearches() {
  const { engines } = service.runtime.services;
  const original = engines.for;
  const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  engines.for = (caller) => {
    const engine = original.call(engines, caller);
    const run: Engine['run'] = async (name, input, reader) => {
      if (name === 'target') {
        begun.resolve();
        await released.promise;
      }
      return engine.run(name, input, reader);
    };
    return { run };
  };
  return {
    begun: begun.promise,
    release() {
      engines.for = original;
      released.resolve();
    },
  };
}

describe.each(PLACES)('while the target of a comment on a %s is searched', (place) => {
  const post = async () => {
    const { me, at, page } = await setDiscussion(service, place);
    const { nodes } = (await me.get(`${at}/content/page/${page}?format=document`)).body.document;
    const searches = holdSearches();
    const posted = me.post(`${at}/comments`, { body: { markdown: 'Here.' }, page, node: nodes[0].key });
    await searches.begun;
    return { me, at, page, posted, release: searches.release };
  };

  test('no database connection is held while a target is searched', async () => {
    const { posted, release } = await post();
    await vi.waitUntil(() => service.runtime.database.pools().requests.inUse === 0);
    release();
    expect((await posted).status).toBe(200);
  });

  test('a comment names the revision that is active after its target was searched, if other pages changed meanwhile', async () => {
    const { me, at, posted, release } = await post();
    await edit(me, at, { operation: 'insert_page', title: 'Other', document: { markdown: 'Other.' } });
    release();
    const { status, body } = await posted;
    expect(status).toBe(200);
    expect(body.target.revision).toBe((await me.get(at)).body.revision);
  });

  test('a target is not found if its page was changed and no longer has it after the search', async () => {
    const { me, at, page, posted, release } = await post();
    await edit(me, at, { operation: 'update_page', page, document: { markdown: 'All new words.' } });
    release();
    expect((await posted).status).toBe(404);
    expect((await me.get(`${at}/comments`)).body.count).toBe(0);
    expect((await me.get(at)).body.comments).toBe(0);
  });

  test('a target is found in a page of which another part was changed during the search', async () => {
    const { me, at, page, posted, release } = await post();
    const markdown = MARKDOWN.replace('Third', 'Another third');
    await edit(me, at, { operation: 'update_page', page, document: { markdown } });
    release();
    const { status, body } = await posted;
    expect(status).toBe(200);
    expect(body.target.revision).toBe((await me.get(at)).body.revision);
  });
});
