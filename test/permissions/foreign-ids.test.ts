import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../schema/ids.ts';
import { type ApiResponse, type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** An organization with one of each kind of object that has an id, and a page in its space. */
async function build() {
  const { id: organization, admin } = await service.build.organization();
  const collection = await service.build.collection(organization);
  const space = await service.build.space(organization);
  const team = await service.build.team(organization, { members: [admin.id] });
  const as = service.as(admin.token);
  const { body } = await as.post(`/spaces/${space.id}/content`, {
    compat: false,
    changes: [
      { operation: 'insert_page', title: 'Secret title', document: { markdown: 'Text' } },
      { operation: 'insert_files', files: [{ name: 'secret.md', base64: 'IyBTZWNyZXQ=' }] },
    ],
  });
  const page = body.changes.pages[0].id;
  const file = (await as.get(`/spaces/${space.id}/content/files`)).body.items[0].id;
  const request = await service.build.changeRequest(space.id, { createdBy: admin.id, status: 'open' });
  const { revision } = (await as.get(`/spaces/${space.id}`)).body;
  const ids = { organization, collection: collection.id, space: space.id, team: team.id, user: admin.id };
  return { as, ids: { ...ids, page, file, request: request.id, revision } };
}
type Place = Awaited<ReturnType<typeof build>>;
type Ids = Place['ids'];

/** Every request with an id in some place, filled in from these. */
const PLACES: Record<string, (as: Client, mine: Ids, id: Ids) => Promise<ApiResponse>> = {
  'parent of a collection': (as, mine, { collection }) =>
    as.post(`/orgs/${mine.organization}/collections`, { parent: collection }),
  'parent of a space': (as, mine, { collection }) =>
    as.post(`/orgs/${mine.organization}/spaces`, { parent: collection }),
  'where to move a space': (as, mine, { collection }) =>
    as.post(`/spaces/${mine.space}/move`, { parent: collection }),
  'where to move a collection': (as, mine, { collection }) =>
    as.post(`/collections/${mine.collection}/move`, { parent: collection }),
  'a space to move next to': (as, mine, { space }) =>
    as.post(`/collections/${mine.collection}/move`, { position: { before: { type: 'space', space } } }),
  'a collection to move next to': (as, mine, { collection }) =>
    as.post(`/spaces/${mine.space}/move`, { position: { after: { type: 'collection', collection } } }),
  'whom to transfer to': (as, mine, { organization }) =>
    as.post(`/spaces/${mine.space}/transfer`, { organization }),
  'users to invite': (as, mine, { user }) =>
    as.post(`/spaces/${mine.space}/permissions`, { role: 'read', users: [user] }),
  'teams to invite': (as, mine, { team }) =>
    as.post(`/collections/${mine.collection}/permissions`, { role: 'read', teams: [team] }),
  'a user with a level': (as, mine, { user }) =>
    as.patch(`/collections/${mine.collection}/permissions/users/${user}`, { role: 'read' }),
  'a team with a level': (as, mine, { team }) =>
    as.patch(`/spaces/${mine.space}/permissions/teams/${team}`, { role: 'read' }),
  'a team with no level': (as, mine, { team }) =>
    as.patch(`/spaces/${mine.space}/permissions/teams/${team}`, { role: null }),
  'a team': (as, mine, { team }) => as.get(`/orgs/${mine.organization}/teams/${team}`),
  'members of a new team': (as, mine, { user }) =>
    as.put(`/orgs/${mine.organization}/teams`, { title: 'Team', members: [user] }),
  'members to add': (as, mine, { user }) =>
    as.put(`/orgs/${mine.organization}/teams/${mine.team}/members`, { add: [user] }),
  memberships: (as, mine, { user }) =>
    as.put(`/orgs/${mine.organization}/teams/${mine.team}/members`, {
      memberships: { [user]: { role: 'owner' } },
    }),
  'a member': (as, mine, { user }) => as.get(`/orgs/${mine.organization}/members/${user}`),
  'a user': (as, _mine, { user }) => as.get(`/users/${user}`),
  'reviewers to ask': (as, mine, { user }) =>
    as.post(`/spaces/${mine.space}/change-requests/${mine.request}/requested-reviewers`, { users: [user] }),
  'reviewers in the rules of a space': (as, mine, { user }) =>
    as.patch(`/spaces/${mine.space}`, {
      mergeRules: { type: 'rules', rules: [{ rule: 'require_specific_reviewers', users: [user] }] },
    }),
  'reviewers in the rules of an organization': (as, mine, { user }) =>
    as.patch(`/orgs/${mine.organization}`, {
      mergeRules: { type: 'rules', rules: [{ rule: 'allow_bypass', users: [user] }] },
    }),
  'who manages teams': (as, mine, { user }) => as.get(`/orgs/${mine.organization}/teams?owner=${user}`),
  'who created change requests': (as, mine, { user }) =>
    as.get(`/orgs/${mine.organization}/change-requests?creator=${user}`),
  'a change request': (as, mine, { request }) => as.get(`/spaces/${mine.space}/change-requests/${request}`),
  'a revision': (as, mine, { revision }) => as.get(`/spaces/${mine.space}/revisions/${revision}`),
  'a merge to undo': (as, mine, { revision }) =>
    as.post(`/spaces/${mine.space}/revisions/${revision}/revert`),
  'a page': (as, mine, { page }) => as.get(`/spaces/${mine.space}/content/page/${page}`),
  'a file': (as, mine, { file }) => as.get(`/spaces/${mine.space}/content/files/${file}`),
  ...edits({
    'a page to edit': ({ page }) => ({ operation: 'update_page', page, title: 'Title' }),
    'a page to delete': ({ page }) => ({ operation: 'delete_page', page }),
    'a page to insert into': ({ page }) => ({ operation: 'insert_page', title: 'Title', into: page }),
    'a page to revert': ({ page, revision }) => ({ operation: 'revert_page', page, revision }),
  }),
  ...Object.fromEntries(
    ['openapi-reference', 'import'].flatMap((template) =>
      [true, false].map((isElsewhere) => [
        `what to make pages from: ${template} ${isElsewhere ? 'in another space' : ''}`,
        (as: Client, mine: Ids, { file, space }: Ids) => {
          const ref = { kind: 'file', file, ...(isElsewhere && { space }) };
          return as.post(`/spaces/${mine.space}/change-requests`, {
            template: { id: template, params: { contentRefs: { one: ref } } },
          });
        },
      ]),
    ),
  ),
};

function edits(changes: Record<string, (id: Ids) => object>): typeof PLACES {
  const place = ([name, change]: [string, (id: Ids) => object]): [string, (typeof PLACES)[string]] => [
    name,
    (as, mine, id) => as.post(`/spaces/${mine.space}/content`, { changes: [change(id)] }),
  ];
  return Object.fromEntries(Object.entries(changes).map(place));
}

/** Well-formed ids of nothing. */
const absentLike = (ids: Ids) =>
  Object.fromEntries(Object.keys(ids).map((key) => [key, newId()])) as unknown as Ids;

/** A response without the ids of the request, which it may repeat. */
const withoutIds = ({ status, body }: ApiResponse, ids: Ids) => {
  let text = JSON.stringify(body ?? null);
  for (const id of Object.values(ids)) text = text.replaceAll(id, '<id>');
  return { status, text };
};

test.for(Object.keys(PLACES))(
  '%s: what belongs to strangers is answered as what is not there',
  async (name) => {
    const [mine, theirs] = [await build(), await build()];
    const ask = PLACES[name] as (typeof PLACES)[string];
    const absent = absentLike(mine.ids);
    const foreign = await ask(mine.as, mine.ids, theirs.ids);
    expect(withoutIds(foreign, theirs.ids)).toEqual(withoutIds(await ask(mine.as, mine.ids, absent), absent));
    if (!name.startsWith('who ')) expect([400, 404]).toContain(foreign.status);
    else expect(foreign.body.count).toBe(0);
  },
);

test('links to content of other organizations, or that is hidden, reveal nothing about it', async () => {
  const [mine, theirs] = [await build(), await build()];
  const { ids } = mine;
  const hidden = await service.build.space(ids.organization, { title: 'Hidden space', defaultLevel: null });
  const closed = await service.build.collection(ids.organization, { title: 'Hidden', defaultLevel: null });
  const { body } = await mine.as.post(`/spaces/${hidden.id}/content`, {
    compat: false,
    changes: [{ operation: 'insert_page', title: 'Hidden page', document: { markdown: 'Text' } }],
  });
  const targets = [
    ...[`/spaces/${theirs.ids.space}`, `/spaces/${hidden.id}`, `/collections/${theirs.ids.collection}`],
    ...[`/collections/${closed.id}`, `/spaces/${theirs.ids.space}/pages/${theirs.ids.page}`],
    ...[`/spaces/${hidden.id}/pages/${body.changes.pages[0].id}`, `/pages/${theirs.ids.page}`],
    ...[`/spaces/${theirs.ids.space}/files/${theirs.ids.file}`, `/users/${theirs.ids.user}`],
  ];
  const markdown = targets.map((target) => `[link](${target})`).join('\n\n');
  const edit = { operation: 'insert_page', title: 'Links', document: { markdown } };
  expect((await mine.as.post(`/spaces/${ids.space}/content`, { changes: [edit] })).status).toBe(200);
  const reader = await service.build.member(ids.organization, 'read');
  const { body: links } = await service.as(reader.token).get(`/spaces/${ids.space}/links`);
  expect(links.count).toBe(targets.length);
  for (const link of links.items) {
    expect(link, JSON.stringify(link.reference)).toMatchObject({ status: 'broken' });
    expect(link.targetReference).toBeUndefined();
  }
  expect(JSON.stringify(links)).not.toMatch(/Hidden|Secret|secret\.md/);
});
