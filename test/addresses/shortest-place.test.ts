import fc from 'fast-check';
import { expect, test } from 'vitest';
import { segmentsOf } from '../../routers/addresses/published.ts';
import { type PathOptions, placeOfResolved, resolveSitePath } from '../../routers/addresses/resolve-path.ts';
import {
  namesAmong,
  type SitePaths,
  shortestPlace,
  siteSpaceNames,
} from '../../routers/addresses/shortest-place.ts';

interface Item {
  path: string;
  isHidden: boolean;
}

/** A section with its site spaces; the section of a site without sections has no path. */
interface Section extends Item {
  siteSpaces: Item[];
}

const path = fc.constantFrom('a', 'b', 'c', 'd');
const isHidden = fc.boolean();
const unique = { selector: ({ path }: Item) => path, minLength: 1, maxLength: 4 };
const siteSpaces = fc.uniqueArray(fc.record({ path, isHidden }), unique);
const sections = fc.uniqueArray(fc.record({ path, isHidden, siteSpaces }), unique);
const page = fc.option(fc.array(path, { minLength: 1, maxLength: 3 }).map((slugs) => slugs.join('/')));

/** The default among items as a reader sees it: the first one, or else the first that they see. */
const defaultOf = <One extends Item>(items: readonly One[]) => items.find((one) => !one.isHidden);

function siteOf(given: readonly Section[], hasSections: boolean) {
  const paths: SitePaths = {
    sections: hasSections ? given.map((one) => one.path) : [],
    siteSpaces: Object.fromEntries(
      given.map((one) => [hasSections ? one.path : '', one.siteSpaces.map((child) => child.path)]),
    ),
  };
  const shown = given
    .map((one) => ({ ...one, siteSpaces: one.siteSpaces.filter((child) => !child.isHidden) }))
    .filter((one) => !one.isHidden && one.siteSpaces.length > 0);
  const optionsOf = <One extends Item>(items: readonly One[]) =>
    items.map((one) => ({
      id: one.path,
      path: one.path,
      space: one.path,
      isDefault: one === defaultOf(items),
    }));
  const options: PathOptions = {
    sections: hasSections
      ? { items: optionsOf(shown), isChoice: namesAmong(paths.sections).length > 0 }
      : undefined,
    siteSpaces: (section) => ({
      items: optionsOf(
        (section ? shown.find((one) => one.path === section.path) : shown[0])?.siteSpaces ?? [],
      ),
      isChoice: siteSpaceNames(paths, section).length > 0,
    }),
  };
  return { paths, shown, options };
}

test('the shortest place of a page leads to it, whatever other paths there are, seen or hidden', () => {
  fc.assert(
    fc.property(sections, fc.boolean(), page, (generated, hasSections, page) => {
      const given = hasSections
        ? generated
        : generated.slice(0, 1).map((one) => ({ ...one, isHidden: false }));
      const { paths, shown, options } = siteOf(given, hasSections);
      for (const section of shown) {
        const sectionStep = hasSections
          ? { path: section.path, isDefault: section === shown[0], names: namesAmong(paths.sections) }
          : undefined;
        for (const siteSpace of section.siteSpaces) {
          const place = shortestPlace(
            {
              section: sectionStep,
              siteSpace: {
                path: siteSpace.path,
                isDefault: siteSpace === section.siteSpaces[0],
                names: siteSpaceNames(paths, hasSections ? { id: section.path } : undefined),
              },
            },
            page ?? undefined,
          );
          const segments = segmentsOf(place);
          const found = resolveSitePath(options, segments, { fallsBackToFirst: true });
          expect(found?.section?.chosen.path).toBe(sectionStep?.path);
          expect(found?.siteSpace.chosen.path).toBe(siteSpace.path);
          expect(segments.slice(found?.used)).toEqual(page?.split('/') ?? []);
          expect(found && placeOfResolved(found, page ?? undefined, paths)).toEqual(place);
          // Where nothing is hidden, none of its segments can be left out.
          const isAllShown = given.every(
            (one) => !one.isHidden && one.siteSpaces.every((child) => !child.isHidden),
          );
          for (const left of ['section', 'siteSpace'] as const) {
            if (place[left] === undefined || !isAllShown) continue;
            const shorter = segmentsOf({ ...place, [left]: undefined });
            const other = resolveSitePath(options, shorter, { fallsBackToFirst: true });
            expect([
              other?.section?.chosen.path,
              other?.siteSpace.chosen.path,
              shorter.slice(other?.used),
            ]).not.toEqual([sectionStep?.path, siteSpace.path, page?.split('/') ?? []]);
          }
        }
      }
    }),
    { numRuns: 2000 },
  );
});
