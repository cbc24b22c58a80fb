import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import type { MergeRule } from '../../schema/json/merge-rules.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { open, type Scene, setScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const rulesOf = (...rules: MergeRule[]) => ({ mergeRules: { type: 'rules', rules } });
const member = (scene: Scene, role: 'admin' | 'review' | 'read' = 'review') =>
  service.build.member(scene.organization, role);
const leave = async ({ me, organization }: Scene, user: { id: string }) =>
  expect((await me.delete(`/orgs/${organization}/members/${user.id}`)).status).toBe(205);
const approve = async ({ token }: { token: string }, at: string) =>
  expect((await service.as(token).post(`${at}/reviews`, { status: 'approved' })).status).toBe(201);
const unmet = async ({ me }: Scene, at: string): Promise<string[]> =>
  (await me.get(`${at}/merge-preview`)).body.unmetRules.map(({ rule }: { rule: string }) => rule);

describe('merge rules and the people they name', () => {
  test('merge rules of spaces and organizations may name only members', async () => {
    const scene = await setScene(service);
    const one = await member(scene);
    const stranger = await service.build.user();
    const elsewhere = (await service.build.organization()).admin;
    for (const path of [scene.path, `/orgs/${scene.organization}`]) {
      for (const id of [stranger.id, elsewhere.id, newId(), 'x']) {
        const rules = rulesOf(
          { rule: 'require_specific_reviewers', users: [one.id] },
          { rule: 'allow_bypass', users: [one.id, id] },
        );
        const { status, body } = await scene.me.patch(path, rules);
        expect(status).toBe(400);
        expect(body.error.details).toEqual([
          { path: 'mergeRules.rules.1.users.1', message: expect.stringMatching(/member/) },
        ]);
      }
      expect((await scene.me.patch(path, rulesOf({ rule: 'allow_bypass', users: [one.id] }))).status).toBe(
        200,
      );
    }
  });

  test('rules can be sent back as they were read, also if a reviewer was disabled or left', async () => {
    const scene = await setScene(service);
    const [disabled, former] = [await member(scene), await member(scene)];
    const rules = rulesOf(
      { rule: 'require_specific_reviewers', users: [disabled.id, former.id] },
      { rule: 'allow_bypass', users: [disabled.id] },
    );
    const paths = [scene.path, `/orgs/${scene.organization}`];
    for (const path of paths) expect((await scene.me.patch(path, rules)).status).toBe(200);
    const members = `/orgs/${scene.organization}/members`;
    await scene.me.patch(`${members}/${disabled.id}`, { disabled: true });
    await scene.me.delete(`${members}/${former.id}`);
    for (const path of paths) {
      const { mergeRules } = (await scene.me.get(path)).body;
      expect(mergeRules).toEqual(rules.mergeRules);
      expect((await scene.me.patch(path, { mergeRules })).status).toBe(200);
      const bypass = rulesOf(...mergeRules.rules, { rule: 'allow_bypass', users: [former.id] });
      expect((await scene.me.patch(path, bypass)).status).toBe(400);
    }
  });

  test('another admin approves for a required reviewer who left: the rule neither lapses nor blocks merges', async () => {
    const scene = await setScene(service);
    const [gone, stays] = [await member(scene), await member(scene, 'admin')];
    const rule = 'require_specific_reviewers';
    await scene.me.patch(scene.path, rulesOf({ rule, users: [gone.id, stays.id] }));
    const { at } = await open(scene);
    await approve(gone, at);
    await approve(stays, at);
    expect(await unmet(scene, at)).toEqual([]);
    await leave(scene, gone);
    expect(await unmet(scene, at)).toEqual([rule]);
    await approve(await member(scene), at);
    expect(await unmet(scene, at)).toEqual([rule]);
    await approve(scene.admin, at);
    expect(await unmet(scene, at)).toEqual([]);
  });

  test('whoever’s account is disabled counts as somebody who left, and not as an admin to ask', async () => {
    const scene = await setScene(service);
    const [gone, boss] = [await member(scene), await member(scene, 'admin')];
    const rule = 'require_specific_reviewers';
    await scene.me.patch(scene.path, rulesOf({ rule, users: [gone.id, scene.admin.id] }));
    const { at } = await open(scene);
    await approve(gone, at);
    await approve(scene.admin, at);
    expect(await unmet(scene, at)).toEqual([]);
    const disable = ({ id }: { id: string }) =>
      service.runtime.database.db
        .updateTable('user')
        .set({ disabled_at: new Date() })
        .where('id', '=', id)
        .execute();
    await disable(gone);
    expect(await unmet(scene, at)).toEqual([rule]);
    const asked = await scene.me.post(`${at}/requested-reviewers`, { users: [gone.id] });
    expect(asked.status).toBe(404);
    // Otherwise, another admin, whom the rule does not name, would have to approve.
    await disable(boss);
    expect(await unmet(scene, at)).toEqual([]);
  });

  test('one of several reviewers is still enough when another one left; with none left an admin must approve', async () => {
    const scene = await setScene(service);
    const [gone, stays] = [await member(scene), await member(scene)];
    const rule = 'require_one_of_specific_reviewers';
    await scene.me.patch(scene.path, rulesOf({ rule, users: [gone.id, stays.id] }));
    const { at } = await open(scene);
    await leave(scene, gone);
    await approve(scene.admin, at);
    expect(await unmet(scene, at)).toEqual([rule]);
    await approve(stays, at);
    expect(await unmet(scene, at)).toEqual([]);
    await scene.me.patch(`/orgs/${scene.organization}/members/${stays.id}`, { role: 'read' });
    expect(await unmet(scene, at)).toEqual([]);
    const { at: next } = await open(scene);
    expect(await unmet(scene, next)).toEqual([rule]);
    await approve(scene.admin, next);
    expect(await unmet(scene, next)).toEqual([]);
  });

  test('the message about an unmet rule names the people by their display names', async () => {
    const scene = await setScene(service);
    const build = (displayName: string) =>
      service.build.member(scene.organization, 'review', { displayName });
    const [ann, jo, gone] = [await build('Ann'), await build('Jo'), await build('Gone')];
    await scene.me.patch(
      scene.path,
      rulesOf(
        { rule: 'require_specific_reviewers', users: [ann.id, jo.id] },
        { rule: 'require_one_of_specific_reviewers', users: [ann.id, jo.id] },
        { rule: 'require_specific_reviewers', users: [gone.id] },
      ),
    );
    const { at } = await open(scene);
    await leave(scene, gone);
    const { status, body } = await scene.me.post(`${at}/merge`);
    expect(status).toBe(412);
    expect(body.error.message).toBe(
      'The change request does not meet the merge rules: Ann and Jo must still approve it. Ann or Jo must approve it. Gone may no longer review it: another admin of the space must approve it instead.',
    );
  });

  test('where a rule names all admins, one of them approves for those who left', async () => {
    const scene = await setScene(service);
    const [gone, boss] = [await member(scene), await member(scene, 'admin')];
    const rule = 'require_specific_reviewers';
    await scene.me.patch(scene.path, rulesOf({ rule, users: [gone.id, boss.id, scene.admin.id] }));
    const { at } = await open(scene);
    await leave(scene, gone);
    await approve(boss, at);
    expect(await unmet(scene, at)).toEqual([rule]);
    await approve(scene.admin, at);
    expect(await unmet(scene, at)).toEqual([]);
    // As soon as there is an admin whom it does not name, that one is asked.
    const other = await member(scene, 'admin');
    expect(await unmet(scene, at)).toEqual([rule]);
    await approve(other, at);
    expect(await unmet(scene, at)).toEqual([]);
  });

  test('a review request to somebody who may no longer review blocks nothing', async () => {
    const scene = await setScene(service);
    await scene.me.patch(scene.path, rulesOf({ rule: 'require_all_reviews_approved' }));
    const [demoted, disabled] = [await member(scene), await member(scene)];
    const { at } = await open(scene);
    const users = [demoted.id, disabled.id];
    await scene.me.post(`${at}/requested-reviewers`, { users });
    expect(await unmet(scene, at)).toEqual(['require_all_reviews_approved']);
    await scene.me.patch(`/orgs/${scene.organization}/members/${demoted.id}`, { role: 'read' });
    expect(await unmet(scene, at)).toEqual(['require_all_reviews_approved']);
    await service.runtime.database.db
      .updateTable('member')
      .set({ disabled: true })
      .where('user_id', '=', disabled.id)
      .execute();
    expect(await unmet(scene, at)).toEqual([]);
  });

  test('reviews of a user who left do not count, and their review requests are removed', async () => {
    const scene = await setScene(service);
    await scene.me.patch(
      scene.path,
      rulesOf({ rule: 'require_at_least_one_review' }, { rule: 'require_all_reviews_approved' }),
    );
    const gone = await member(scene);
    const { at } = await open(scene);
    await service.as(gone.token).post(`${at}/reviews`, { status: 'changes-requested' });
    await scene.me.post(`${at}/requested-reviewers`, { users: [gone.id] });
    await leave(scene, gone);
    expect(await unmet(scene, at)).toEqual(['require_at_least_one_review']);
    expect((await scene.me.get(`${at}/requested-reviewers`)).body.count).toBe(0);
    await approve(scene.admin, at);
    expect(await unmet(scene, at)).toEqual([]);
  });

  test('the right to bypass ends with the membership, and is not restored with it', async () => {
    const scene = await setScene(service);
    const [boss, other] = [await member(scene), await member(scene)];
    const rules = rulesOf(
      { rule: 'allow_bypass', users: [boss.id] },
      { rule: 'require_change_request_subject' },
      { rule: 'allow_bypass', users: [other.id, boss.id] },
    );
    await scene.me.patch(scene.path, rules);
    await scene.me.patch(`/orgs/${scene.organization}`, rules);
    await leave(scene, boss);
    await service.build.join(scene.organization, boss.id, 'review');
    for (const path of [scene.path, `/orgs/${scene.organization}`]) {
      expect((await scene.me.get(path)).body.mergeRules.rules).toEqual([
        { rule: 'require_change_request_subject' },
        { rule: 'allow_bypass', users: [other.id] },
      ]);
    }
    const { at } = await open(scene);
    expect((await service.as(boss.token).post(`${at}/merge`)).status).toBe(412);
    expect((await service.as(other.token).post(`${at}/merge`)).status).toBe(200);
  });

  test.for(['space', 'collection'])(
    'nobody bypasses the rules of a transferred %s, and an admin there stands in',
    async (what) => {
      const scene = await setScene(service);
      const boss = await member(scene);
      const kept: MergeRule = { rule: 'require_specific_reviewers', users: [boss.id] };
      await scene.me.patch(
        scene.path,
        rulesOf({ rule: 'allow_bypass', users: [boss.id, scene.admin.id] }, kept),
      );
      const { at } = await open(scene);
      await scene.me.post(`${at}/requested-reviewers`, { users: [boss.id, scene.admin.id] });
      const to = await service.build.organization();
      await service.build.join(to.id, scene.admin.id, 'review');
      const mover = await service.build.member(scene.organization, 'admin');
      await service.build.join(to.id, mover.id, 'create');
      const { id } = await service.build.collection(scene.organization);
      if (what === 'collection') await scene.me.post(`${scene.path}/move`, { parent: id });
      const from = what === 'space' ? scene.path : `/collections/${id}`;
      const moved = await service.as(mover.token).post(`${from}/transfer`, { organization: to.id });
      expect(moved.status, JSON.stringify(moved.body)).toBe(200);
      if (what === 'space') expect(moved.body.mergeRules.rules).toEqual([kept]);
      expect((await scene.me.get(scene.path)).body.mergeRules.rules).toEqual([kept]);
      const { body: asked } = await scene.me.get(`${at}/requested-reviewers`);
      expect(asked.items.map((item: { user: { id: string } }) => item.user.id)).toEqual([scene.admin.id]);
      expect((await scene.me.post(`${at}/merge`)).status).toBe(412);
      await approve(to.admin, at);
      expect((await scene.me.post(`${at}/merge`)).status).toBe(200);
    },
  );
});
