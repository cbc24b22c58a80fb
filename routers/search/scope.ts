import { z } from 'zod';
import type { SiteStructure } from '../sites/structure/structure.api.ts';
import type { SiteSpaceRow } from '../sites/structure/structure.query.ts';
import { sectionsIn, siteSpacesIn } from '../sites/structure/structure.ts';

const MAX_SITE_SPACES = 1000;

/** Which spaces of a site are searched. */
export const SiteSearchScope = z.object({
  mode: z
    .enum(['default', 'specific', 'all'])
    .describe(
      '`default`: one site space of each section, and the current one; `specific`: those named; `all`.',
    ),
  currentSiteSpace: z
    .string()
    .optional()
    .describe('With `default`, of the other sections the site spaces in its language are searched.'),
  restrictTo: z
    .enum(['currentSiteSpace', 'otherSiteSpaces'])
    .optional()
    .describe('With `default`, only the current site space, or all others.'),
  siteSpaceIds: z.array(z.string()).min(1).max(MAX_SITE_SPACES).optional().describe('With `specific`.'),
});

interface ScopeInput {
  scope?: z.infer<typeof SiteSearchScope> | undefined;
  mode?: 'specific' | 'current' | 'all' | undefined;
  siteSpaceId?: string | undefined;
  siteSpaceIds?: string[] | undefined;
}

/** The site spaces that a search is about, of those that the reader is shown; each space once. */
export function searchedIn(structure: SiteStructure, input: ScopeInput): SiteSpaceRow[] {
  const all = siteSpacesIn(structure).map(({ siteSpace }) => siteSpace);
  const chosen = chosenOf(structure, all, scopeOf(input));
  const bySpace = new Map(chosen.map((siteSpace) => [siteSpace.space, siteSpace]));
  return [...bySpace.values()];
}

/** The ways of older clients as a scope. */
function scopeOf({ scope, mode, siteSpaceId, siteSpaceIds }: ScopeInput): z.infer<typeof SiteSearchScope> {
  if (scope) return scope;
  if (siteSpaceIds && (mode === undefined || mode === 'specific')) return { mode: 'specific', siteSpaceIds };
  if (mode === 'current') return { mode: 'default', currentSiteSpace: siteSpaceId };
  return { mode: mode === 'specific' ? 'specific' : 'all' };
}

function chosenOf(
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
    const alike = nodes.find(({ siteSpace }) => language !== null && siteSpace.content.language === language);
    return (alike ?? nodes.find(({ isDefault }) => isDefault))?.siteSpace ?? [];
  });
  if (restrictTo === 'otherSiteSpaces') return defaults.filter(({ id }) => id !== currentSiteSpace);
  return [...new Set([...current, ...defaults])];
}
