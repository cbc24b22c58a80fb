import { type FindGenerated, type GeneratedPath, generatedPathKey } from '../edit/links.ts';
import { generatedPageId } from '../store/computed-source.ts';
import { pagesFor, walkApiPages } from './api-outline.ts';
import type { ApiSources } from './computed-pages.ts';

/** Returns a function that finds generated pages by their paths; reads all sources in one batch. */
export const generatedPageFinder =
  (sources: ApiSources): FindGenerated =>
  async (paths) => {
    const byComputed = [...Map.groupBy(paths, ({ computed }) => computed)].map(([computed, wanted]) => ({
      computed,
      wanted: new Set(wanted.map(({ path }) => path)),
      // All paths below a page have the same source.
      source: (wanted[0] as GeneratedPath).source,
    }));
    const found = await sources.read(byComputed.map(({ source }) => source.ref));
    const ids = new Map<string, string>();
    for (const { computed, wanted, source } of byComputed) {
      const outline = found.get(source.ref)?.outline;
      if (!outline || 'problem' in outline) continue;
      for (const { path, page } of walkApiPages(pagesFor(outline, source.ref, source)))
        if (wanted.has(path))
          ids.set(generatedPathKey({ computed, path }), generatedPageId(computed, page.key));
    }
    return ids;
  };
