import { type FindGenerated, generatedPathKey } from '../edit/links.ts';
import { generatedPageId } from '../store/computed-source.ts';
import { pagesFor, walkApiPages } from './api-outline.ts';
import type { ApiSources } from './computed-pages.ts';

/** Returns a function that finds generated pages by their paths; reads all sources in one batch. */
export const generatedPageFinder =
  (sources: ApiSources): FindGenerated =>
  async (below) => {
    const found = await sources.read(below.map(({ source }) => source.ref));
    const ids = new Map<string, string>();
    for (const { computed, source, paths } of below) {
      const outline = found.get(source.ref)?.outline;
      if (!outline || 'problem' in outline) continue;
      const wanted = new Set(paths);
      for (const { path, page } of walkApiPages(pagesFor(outline, source.ref, source)))
        if (wanted.has(path)) ids.set(generatedPathKey(computed, path), generatedPageId(computed, page.key));
    }
    return ids;
  };
