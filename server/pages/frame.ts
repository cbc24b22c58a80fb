import { targetOf } from './content.ts';
import type { InterfaceLanguage } from './languages/index.ts';
import { languageFor } from './languages/index.ts';
import type { Frame, SetLink } from './layout.ts';
import type { Visit } from './visit.ts';

type Given = { title: string; to: Parameters<typeof targetOf>[1] | null };

const linkOf = async (visit: Visit, { title, to }: Given): Promise<SetLink> => ({
  title,
  target: to === null ? undefined : await targetOf(visit, to),
});

const linksOf = (visit: Visit, links: readonly Given[]) =>
  Promise.all(links.map((link) => linkOf(visit, link)));

const languageOfSite = ({ customization, place }: Visit): InterfaceLanguage =>
  languageFor(customization.internationalization.locale, place.siteSpace.space.language);

/** Reads what frames the pages of a site: where the links in its header and footer lead. */
export async function frameOf(visit: Visit): Promise<Frame> {
  const { header, footer, announcement } = visit.customization;
  const [headerLinks, footerGroups, announced] = await Promise.all([
    Promise.all(
      header.links.map(
        async (link): Promise<SetLink> => ({
          ...(await linkOf(visit, link)),
          style: link.style,
          links: await linksOf(visit, link.links),
        }),
      ),
    ),
    Promise.all(
      footer.groups.map(async ({ title, links }) => ({ title, links: await linksOf(visit, links) })),
    ),
    announcement?.link && linkOf(visit, announcement.link),
  ]);
  return {
    visit,
    language: languageOfSite(visit),
    header: headerLinks,
    footer: footerGroups,
    announcement: announced,
  };
}
