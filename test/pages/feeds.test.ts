import { expect, test } from 'vitest';
import type { PageObject } from '../../routers/content/pages.api.ts';
import { feed, llms, sitemap } from '../../server/pages/feeds.ts';
import type { PlacedSpace } from '../../server/pages/structure.ts';
import type { Visit } from '../../server/pages/visit.ts';

const PAGES = 60_000;
const PER_GROUP = 100;

/** A public site with a space of many pages. */
function largeSite(): Visit {
  const made = (fields: object) => fields as PageObject;
  const page = (number: number) =>
    made({
      id: `${number}`,
      type: 'document',
      title: `Page ${number}`,
      path: `page-${number}`,
      updatedAt: new Date(number * 1000).toISOString(),
    });
  const pages = Array.from({ length: PAGES / PER_GROUP }, (_, group) =>
    made({
      id: `group ${group}`,
      type: 'group',
      title: 'Group',
      pages: Array.from({ length: PER_GROUP }, (_, index) => page(group * PER_GROUP + index)),
    }),
  );
  const space = { id: 'space', title: 'Space', revision: 'revision' };
  const place = {
    siteSpace: { id: 'siteSpace', title: 'Space', space },
    section: undefined,
    steps: {},
  } as unknown as PlacedSpace;
  return {
    call: { revisions: { pages: async () => ({ pages }) } },
    published: {
      site: { id: 'site', visibility: 'public', urls: { published: 'https://docs.example/' } },
    },
    title: 'Site',
    customization: {},
    absoluteBase: 'https://docs.example/',
    spaces: [place],
    place,
  } as unknown as Visit;
}

test('other requests are served while the pages of a large site are listed', async () => {
  const site = largeSite();
  for (const [list, found] of [
    [sitemap, /page-49999</],
    [llms, /page-59999\.md\)/],
    [feed, new RegExp(`<entry><id>urn:page:siteSpace:${PAGES - 1}<`)],
  ] as const) {
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const { text } = await list(site);
    isDone = true;
    expect(text).toMatch(found);
    expect(turns, list.name).toBeGreaterThan(1);
    if (list === sitemap) expect(text.match(/<url>/g)).toHaveLength(50_000);
    if (list === feed) expect(text.match(/<entry>/g)).toHaveLength(50);
  }
});
