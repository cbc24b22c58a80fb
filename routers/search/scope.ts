import { z } from 'zod';
import type { SiteStructure } from '../sites/structure/structure.api.ts';
import type { SiteSpaceRow } from '../sites/structure/structure.query.ts';
import { sectionsIn, siteSpacesIn } from '../sites/structure/structure.ts';

const MAX_SITE_SPACES = 1000;

/** Which site spaces to search. */
export const SiteSearchScope = z.object({
  mode: z
    .enum(['default', 'specific', 'all'])
    .describe(
      '`default`: the current site space and one of each section; `specific`: those in `siteSpaceIds`; `all`: all site spaces.',
    ),
  currentSiteSpace: z
    .string()
    .optional()
    .describe(
      'With `default`, the id of the current site space. In the other sections, site spaces in the same language are preferred.',
    ),
  restrictTo: z
    .enum(['currentSiteSpace', 'otherSiteSpaces'])
    .optional()
    .describe('With `default`, search only the current site space, or only the others.'),
  siteSpaceIds: z
    .array(z.string())
    .min(1)
    .max(MAX_SITE_SPACES)
    .optional()
    .describe('With `specific`, the ids of the site spaces to search.'),
});

interface ScopeInput {
  scope?: z.infer<typeof SiteSearchScope> | undefined;
  mode?: 'specific' | 'current' | 'all' | undefined;
  siteSpaceId?: string | undefined;
  siteSpaceIds?: string[] | undefined;
}

/** The visible site spaces in the scope of a search; each space is included once. */
export function siteSpacesInScope(structure: SiteStructure, input: ScopeInput): SiteSpaceRow[] {
  const all = siteSpacesIn(structure).map(({ siteSpace }) => siteSpace);
  const selected = selectSiteSpaces(structure, all, scopeOf(input));
  const bySpace = new Map(selected.map((siteSpace) => [siteSpace.space, siteSpace]));
  return [...bySpace.values()];
}

/** Converts the parameters of older clients to a scope. */
function scopeOf({ scope, mode, siteSpaceId, siteSpaceIds }: ScopeInput): z.infer<typeof SiteSearchScope> {
  if (scope) return scope;
  if (siteSpaceIds && (mode === undefined || mode === 'specific')) return { mode: 'specific', siteSpaceIds };
  if (mode === 'current') return { mode: 'default', currentSiteSpace: siteSpaceId };
  return { mode: mode === 'specific' ? 'specific' : 'all' };
}

function selectSiteSpaces(
  structure: SiteStructure,
  all: readonly SiteSpaceRow[],
  { mode, currentSiteSpace, restrictTo, siteSpaceIds = [] }: z.infer<typeof SiteSearchScope>,
): SiteSpaceRow[] {
  if (mode === 'all') return [...all];
  if (mode === 'specific') return all.filter(({ id }) => siteSpaceIds.includes(id));
  const current = all.filter(({ id }) => id === currentSiteSpace);
  if (restrictTo === 'currentSiteSpace') return current;
  const [
    {
      content: { language = null },
    } = { content: {} },
  ] = current;
  const sections = [
    structure.siteSpaces,
    ...sectionsIn(structure.sections).map(({ siteSpaces }) => siteSpaces),
  ];
  const defaults = sections.flatMap((nodes) => {
    const sameLanguage = nodes.find(
      ({ siteSpace }) => language !== null && siteSpace.content.language === language,
    );
    return (sameLanguage ?? nodes.find(({ isDefault }) => isDefault))?.siteSpace ?? [];
  });
  if (restrictTo === 'otherSiteSpaces') return defaults.filter(({ id }) => id !== currentSiteSpace);
  return [...new Set([...current, ...defaults])];
}
