import { resolveTarget } from './content.ts';
import type { InterfaceLanguage } from './languages/index.ts';
import { languageFor } from './languages/index.ts';
import type { Frame, ResolvedLink } from './layout.ts';
import type { Visit } from './visit.ts';

type LinkSettings = { title: string; to: Parameters<typeof resolveTarget>[1] | null };

const resolveLink = async (visit: Visit, { title, to }: LinkSettings): Promise<ResolvedLink> => ({
  title,
  target: to === null ? undefined : await resolveTarget(visit, to),
});

const resolveLinks = (visit: Visit, links: readonly LinkSettings[]) =>
  Promise.all(links.map((link) => resolveLink(visit, link)));

const languageOfSite = ({ customization, place }: Visit): InterfaceLanguage =>
  languageFor(customization.internationalization.locale, place.siteSpace.space.language);

/** Loads what surrounds every page of a site, with the links of its header and footer resolved. */
export async function loadFrame(visit: Visit): Promise<Frame> {
  const { header, footer, announcement } = visit.customization;
  const [headerLinks, footerGroups, announcementLink] = await Promise.all([
    Promise.all(
      header.links.map(
        async (link): Promise<ResolvedLink> => ({
          ...(await resolveLink(visit, link)),
          style: link.style,
          links: await resolveLinks(visit, link.links),
        }),
      ),
    ),
    Promise.all(
      footer.groups.map(async ({ title, links }) => ({ title, links: await resolveLinks(visit, links) })),
    ),
    announcement?.link && resolveLink(visit, announcement.link),
  ]);
  return {
    visit,
    language: languageOfSite(visit),
    header: headerLinks,
    footer: footerGroups,
    announcement: announcementLink,
  };
}
