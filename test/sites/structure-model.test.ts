import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Client, startTestService, type TestService } from '../helpers/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** A section or group of the model; siblings are in order. */
interface Node {
  id: string;
  kind: 'site-section' | 'site-section-group';
  children: Node[];
}

const isGroup = ({ kind }: Node) => kind === 'site-section-group';
const all = (nodes: Node[]): Node[] => nodes.flatMap((node) => [node, ...all(node.children)]);
const siblingsOf = (root: Node[], node: Node): Node[] =>
  root.includes(node) ? root : (all(root).find(({ children }) => children.includes(node))?.children ?? root);

/** The model and the service, which must agree after each step. */
interface Run {
  me: Client;
  site: string;
  root: Node[];
  defaultSection: string | undefined;
  spaces: string[];
}

type Step =
  | { do: 'section' }
  | { do: 'group'; parent: number; member: number }
  | { do: 'move'; item: number; anchor: number; side: 'before' | 'after' | 'end' }
  | { do: 'into'; section: number; group: number }
  | { do: 'out'; section: number }
  | { do: 'remove'; item: number };

const place = fc.nat(20);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.constant<Step>({ do: 'section' }),
    fc.record({ do: fc.constant('group' as const), parent: place, member: place }),
    fc.record({
      do: fc.constant('move' as const),
      item: place,
      anchor: place,
      side: fc.constantFrom('before' as const, 'after' as const, 'end' as const),
    }),
    fc.record({ do: fc.constant('into' as const), section: place, group: place }),
    fc.record({ do: fc.constant('out' as const), section: place }),
    fc.record({ do: fc.constant('remove' as const), item: place }),
  ),
  { minLength: 8, maxLength: 20 },
);

const pick = (nodes: Node[], index: number): Node | undefined => nodes[index % Math.max(nodes.length, 1)];

const detach = (root: Node[], node: Node): void => {
  const siblings = siblingsOf(root, node);
  siblings.splice(siblings.indexOf(node), 1);
};

const settle = (run: Run): void => {
  const sections = all(run.root).filter((node) => !isGroup(node));
  if (!sections.some(({ id }) => id === run.defaultSection)) run.defaultSection = sections[0]?.id;
};

/** Performs a step on both sides; the service may only refuse steps that are invalid or change nothing. */
async function take(run: Run, step: Step): Promise<void> {
  const { me, site, root } = run;
  const nodes = all(root);
  const groups = nodes.filter(isGroup);
  const sections = nodes.filter((node) => !isGroup(node));
  if (step.do === 'section') {
    const spaceId = run.spaces.pop();
    const { status, body } = await me.post(`${site}/sections`, { spaceId, title: 'Same' });
    expect(status).toBe(201);
    root.push({ id: body.id, kind: 'site-section', children: [] });
    return settle(run);
  }
  if (step.do === 'group') {
    const parent = step.parent % 2 ? pick(groups, step.parent) : undefined;
    const member = pick(sections, step.member);
    const { status, body } = await me.post(`${site}/section-groups`, {
      title: 'Group',
      parent: parent?.id,
      sections: member ? [member.id] : [],
    });
    expect(status).toBe(201);
    if (member) detach(root, member);
    const node = { id: body.id, kind: 'site-section-group' as const, children: member ? [member] : [] };
    (parent?.children ?? root).push(node);
    return;
  }
  if (step.do === 'into') {
    const [section, group] = [pick(sections, step.section), pick(groups, step.group)];
    if (!section || !group) return;
    const isThere = group.children.includes(section);
    const { status } = await me.post(`${site}/section-groups/${group.id}/sections`, {
      sectionId: section.id,
    });
    expect(status).toBe(isThere ? 409 : 201);
    if (isThere) return;
    detach(root, section);
    group.children.push(section);
    return;
  }
  if (step.do === 'out') {
    const section = pick(sections, step.section);
    const group = section && groups.find(({ children }) => children.includes(section));
    if (!section || !group) return;
    expect((await me.delete(`${site}/section-groups/${group.id}/sections/${section.id}`)).status).toBe(205);
    detach(root, section);
    const siblings = siblingsOf(root, group);
    siblings.splice(siblings.indexOf(group) + 1, 0, section);
    return;
  }
  const item = pick(nodes, step.item);
  if (!item) return;
  if (step.do === 'remove') {
    const list = isGroup(item) ? 'section-groups' : 'sections';
    expect((await me.delete(`${site}/${list}/${item.id}`)).status).toBe(205);
    const siblings = siblingsOf(root, item);
    siblings.splice(siblings.indexOf(item), 1, ...item.children);
    return settle(run);
  }
  const anchor = step.side === 'end' ? undefined : pick(nodes, step.anchor);
  const position = anchor ? { [step.side]: { type: anchor.kind, id: anchor.id } } : {};
  const { status } = await me.patch(`${site}/structure/sort`, {
    item: { type: item.kind, id: item.id },
    position,
  });
  if (anchor && [item, ...all(item.children)].includes(anchor)) return void expect(status).toBe(400);
  const before = siblingsOf(root, item);
  const index = before.indexOf(item);
  detach(root, item);
  const siblings = anchor ? siblingsOf(root, anchor) : root;
  const at = anchor ? siblings.indexOf(anchor) + (step.side === 'after' ? 1 : 0) : siblings.length;
  siblings.splice(at, 0, item);
  expect(status).toBe(siblings === before && at === index ? 409 : 200);
}

interface Shown {
  id: string;
  object: string;
  path: string;
  default?: boolean;
  children?: Shown[];
}

const shownNodes = (items: Shown[]): Node[] =>
  items.map(({ id, object, children = [] }) => ({
    id,
    kind: object as Node['kind'],
    children: shownNodes(children),
  }));
const shownSections = (items: Shown[]): Shown[] =>
  items.flatMap((item) => (item.children ? shownSections(item.children) : [item]));

/** Checks the invariants: one default among sections, and unique paths. */
async function structureOf({ me, site }: Pick<Run, 'me' | 'site'>): Promise<Shown[]> {
  const { structure } = (await me.get(`${site}/structure`)).body as { structure: Shown[] };
  const sections = shownSections(structure);
  expect(sections.filter((section) => section.default)).toHaveLength(Math.min(sections.length, 1));
  expect(new Set(sections.map(({ path }) => path)).size).toBe(sections.length);
  return structure;
}

async function start(spaces: number): Promise<Run> {
  const { id, admin } = await service.build.organization();
  const made: string[] = [];
  for (let i = 0; i < spaces; i++) made.push((await service.build.space(id)).id);
  const site = `/orgs/${id}/sites/${(await service.build.site(id)).id}`;
  return { me: service.as(admin.token), site, root: [], defaultSection: undefined, spaces: made };
}

test('the structure agrees with a simple model after each step', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const run = await start(given.length + 2);
      for (const step of [{ do: 'section' }, { do: 'section' }, ...given] as Step[]) await take(run, step);
      const structure = await structureOf(run);
      expect(shownNodes(structure)).toEqual(run.root);
      expect(shownSections(structure).find((section) => section.default)?.id).toBe(run.defaultSection);
    }),
    { numRuns: 12 },
  );
});

test('concurrent steps leave a tree of all items, in one order', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const run = await start(8);
      for (let i = 0; i < 4; i++) await take(run, { do: 'section' });
      for (let i = 0; i < 3; i++) await take(run, { do: 'group', parent: i, member: i });
      const nodes = all(run.root);
      const moves = given.flatMap((step, index) =>
        step.do === 'move'
          ? [step]
          : [{ do: 'move' as const, item: index, anchor: index * 3 + 1, side: 'before' as const }],
      );
      const responses = await Promise.all(
        moves.map(({ item, anchor, side }) => {
          const [moving, next] = [pick(nodes, item) as Node, pick(nodes, anchor) as Node];
          const position = side === 'end' ? {} : { [side]: { type: next.kind, id: next.id } };
          const sorted = { item: { type: moving.kind, id: moving.id }, position };
          return run.me.patch(`${run.site}/structure/sort`, sorted);
        }),
      );
      for (const { status } of responses) expect([200, 400, 409]).toContain(status);
      const shown = all(shownNodes(await structureOf(run)));
      expect(shown.map(({ id }) => id).sort()).toEqual(nodes.map(({ id }) => id).sort());
      const again = all(shownNodes(await structureOf(run)));
      expect(again.map(({ id }) => id)).toEqual(shown.map(({ id }) => id));
    }),
    { numRuns: 6 },
  );
});
