import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MergeRule } from '../../schema/json/merge-rules.ts';
import { startTestService, type TestService } from '../helpers/service.ts';
import { open, rewrite, type Scene, setScene } from './scene.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const govern = async ({ me, path }: Scene, ...rules: MergeRule[]) =>
  expect((await me.patch(path, { mergeRules: { type: 'rules', rules } })).status).toBe(200);

/** The rules that are unmet, as the preview and a merge say alike. */
async function unmet({ me }: Scene, at: string): Promise<string[]> {
  const preview = await me.get(`${at}/merge-preview`);
  const rules = preview.body.unmetRules.map(({ rule }: { rule: string }) => rule);
  if (rules.length > 0) {
    const { status, body } = await me.post(`${at}/merge`);
    expect(status).toBe(412);
    expect(body.error.details.map(({ path }: { path: string }) => path)).toEqual(rules);
  }
  return rules;
}

const approve = async (token: string, at: string) =>
  expect((await service.as(token).post(`${at}/reviews`, { status: 'approved' })).status).toBe(201);

describe('merge rules', () => {
  test('all unmet rules are reported, and nothing is merged', async () => {
    const scene = await setScene(service);
    const { me, path } = scene;
    await govern(
      scene,
      { rule: 'require_change_request_subject' },
      { rule: 'require_change_request_description' },
      { rule: 'require_at_least_one_review' },
      { rule: 'require_up_to_date_change_request' },
    );
    const { at } = await open(scene);
    await rewrite(scene, path, { title: 'Moved on' });
    const { revision } = (await me.get(path)).body;
    expect(await unmet(scene, at)).toEqual([
      'require_change_request_subject',
      'require_change_request_description',
      'require_at_least_one_review',
      'require_up_to_date_change_request',
    ]);
    expect((await me.get(path)).body.revision).toBe(revision);
    await me.patch(at, { subject: 'Subject', description: { markdown: 'Description' } });
    await me.post(`${at}/update`);
    expect(await unmet(scene, at)).toEqual(['require_at_least_one_review']);
    await approve(scene.admin.token, at);
    expect(await unmet(scene, at)).toEqual([]);
    expect((await me.post(`${at}/merge`)).body.result).toBe('merge');
  });

  test('a review from before an edit does not count', async () => {
    const scene = await setScene(service);
    await govern(scene, { rule: 'require_at_least_one_review' });
    const { at } = await open(scene);
    await approve(scene.admin.token, at);
    expect(await unmet(scene, at)).toEqual([]);
    await rewrite(scene, at, { title: 'Changed' });
    expect(await unmet(scene, at)).toEqual(['require_at_least_one_review']);
  });

  test('a request for changes blocks the merge however many reviews of others follow it', async () => {
    const scene = await setScene(service);
    await govern(scene, { rule: 'require_all_reviews_approved' });
    const { at } = await open(scene);
    const reviewer = await service.build.member(scene.organization, 'review');
    await service.as(reviewer.token).post(`${at}/reviews`, { status: 'changes-requested' });
    await approve(scene.admin.token, at);
    // The approval 1,000 times over.
    await sql`
      insert into review select (jsonb_populate_record(review, jsonb_build_object(
        'id', review.id || lpad(n::text, 4, '0')))).*
      from review, generate_series(1, 1000) as n
      where change_request_id = ${at.split('/').at(-1)} and status = 'approved'`.execute(
      service.runtime.database.db,
    );
    expect(await unmet(scene, at)).toEqual(['require_all_reviews_approved']);
    await approve(reviewer.token, at);
    expect(await unmet(scene, at)).toEqual([]);
  });

  test('a request for changes blocks the merge until its reviewer withdraws it', async () => {
    const scene = await setScene(service);
    await govern(scene, { rule: 'require_all_reviews_approved' });
    const { at } = await open(scene);
    const reviewer = await service.build.member(scene.organization, 'review');
    expect(await unmet(scene, at)).toEqual([]);
    await service.as(reviewer.token).post(`${at}/reviews`, { status: 'changes-requested' });
    await approve(scene.admin.token, at);
    await rewrite(scene, at, { title: 'Changed' });
    expect(await unmet(scene, at)).toEqual(['require_all_reviews_approved']);
    await approve(reviewer.token, at);
    expect(await unmet(scene, at)).toEqual([]);
    await scene.me.post(`${at}/requested-reviewers`, { users: [reviewer.id] });
    expect(await unmet(scene, at)).toEqual(['require_all_reviews_approved']);
  });

  test('a rule can require the approval of all named reviewers, or of one of them', async () => {
    const scene = await setScene(service);
    const one = await service.build.member(scene.organization, 'review');
    const two = await service.build.member(scene.organization, 'review');
    const users = [one.id, two.id];
    await govern(
      scene,
      { rule: 'require_specific_reviewers', users },
      { rule: 'require_one_of_specific_reviewers', users },
    );
    const { at } = await open(scene);
    await approve(scene.admin.token, at);
    expect(await unmet(scene, at)).toEqual([
      'require_specific_reviewers',
      'require_one_of_specific_reviewers',
    ]);
    await approve(one.token, at);
    expect(await unmet(scene, at)).toEqual(['require_specific_reviewers']);
    await approve(two.token, at);
    expect(await unmet(scene, at)).toEqual([]);
  });

  test('only the named users may bypass merge rules', async () => {
    const scene = await setScene(service);
    const boss = await service.build.member(scene.organization, 'review');
    await govern(
      scene,
      { rule: 'require_change_request_subject' },
      { rule: 'allow_bypass', users: [boss.id] },
    );
    const { at } = await open(scene);
    expect(await unmet(scene, at)).toEqual(['require_change_request_subject']);
    const preview = await service.as(boss.token).get(`${at}/merge-preview`);
    expect(preview.body).toMatchObject({ bypass: true, unmetRules: [{}] });
    expect((await service.as(boss.token).post(`${at}/merge`)).body.result).toBe('merge');
  });

  test('a custom condition sees the space, the change request, its reviews and the caller', async () => {
    const scene = await setScene(service);
    const { at } = await open(scene, { subject: 'docs: fix' });
    const fulfilled = [
      'changeRequest.subject.startsWith("docs:")',
      'reviews.length == 0 && space.title == "Space"',
      `actor.id == "${scene.admin.id}"`,
      'reviews[0].status != "changes-requested"',
    ];
    for (const expression of fulfilled) {
      await govern(scene, { rule: 'custom', expression });
      expect(await unmet(scene, at), expression).toEqual([]);
    }
    const unfulfilled = [
      'reviews[0].status == "approved"',
      'changeRequest.constructor',
      'no.such.thing',
      'process.exit(1)',
    ];
    for (const expression of unfulfilled) {
      await govern(scene, { rule: 'custom', expression });
      expect(await unmet(scene, at), expression).toEqual(['custom']);
    }
  });

  test('an invalid condition is rejected when it is set, on spaces and organizations', async () => {
    const { me, path, organization } = await setScene(service);
    const rules = [{ rule: 'require_at_least_one_review' }, { rule: 'custom', expression: '(((' }];
    for (const at of [path, `/orgs/${organization}`]) {
      const { status, body } = await me.patch(at, { mergeRules: { type: 'rules', rules } });
      expect(status).toBe(400);
      expect(body.error.details).toEqual([
        { path: 'mergeRules.rules.1.expression', message: expect.stringMatching(/cannot be read/) },
      ]);
    }
    expect((await me.get(path)).body.mergeRules).toEqual({ type: 'inherit' });
  });

  test('a space inherits the merge rules of its organization until it has its own', async () => {
    const scene = await setScene(service);
    const { me, path, organization } = scene;
    const { at } = await open(scene);
    const mergeRules = { type: 'rules', rules: [{ rule: 'require_change_request_subject' }] };
    expect((await me.patch(`/orgs/${organization}`, { mergeRules })).status).toBe(200);
    expect(await unmet(scene, at)).toEqual(['require_change_request_subject']);
    await me.patch(path, { mergeRules: { type: 'none' } });
    expect(await unmet(scene, at)).toEqual([]);
    await me.patch(path, { mergeRules: { type: 'inherit' } });
    expect(await unmet(scene, at)).toEqual(['require_change_request_subject']);
  });

  test('the preview of a merge changes nothing, and works with a read-only token', async () => {
    const scene = await setScene(service);
    const { at } = await open(scene);
    await rewrite(scene, at, { title: 'Changed' });
    const token = (await scene.me.post('/user/tokens', { scope: 'read' })).body.token;
    const { revision } = (await scene.me.get(scene.path)).body;
    const { status, body } = await service.as(token).get(`${at}/merge-preview`);
    expect(status).toBe(200);
    expect(body).toEqual({
      result: 'merge',
      outdated: false,
      conflicts: [],
      unmetRules: [],
      bypass: false,
    });
    expect((await scene.me.get(scene.path)).body.revision).toBe(revision);
  });
});
