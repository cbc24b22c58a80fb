import { safeHref } from '../../routers/engine/document/safe-href.ts';
import { emojiCharacters } from '../../routers/engine/emoji.ts';
import { RESERVED_SEGMENT } from '../../routers/engine/store/site-files.ts';
import { type Html, html } from '../http/html.ts';
import { SCRIPT_NAMES, STYLES_NAME } from './assets.ts';
import { previewBar } from './change-request-preview.ts';
import { iconOf } from './content.ts';
import { ownId } from './document/own-ids.ts';
import type { Target } from './document/render-context.ts';
import { safeSource } from './document/render-context.ts';
import { uiIcon } from './icons.ts';
import type { InterfaceLanguage } from './languages/index.ts';
import { rawHtml, scriptHash, THEME_SCRIPT } from './policy.ts';
import { type Customization, type SectionOrGroup, sectionsIn, topLevel } from './structure.ts';
import { pathOn, titleOf, type Visit } from './visit.ts';

/** A link from the customization, with its target resolved. */
export interface ResolvedLink {
  title: string;
  target: Target | undefined;
  style?: string | undefined;
  links?: readonly ResolvedLink[];
}

/** What surrounds every page of a site. */
export interface Frame {
  visit: Visit;
  language: InterfaceLanguage;
  header: readonly ResolvedLink[];
  footer: readonly { title: string; links: readonly ResolvedLink[] }[];
  announcement: ResolvedLink | undefined;
}

export interface PageParts {
  title: string;
  head?: Html | undefined;
  /** The table of contents of the space, beside the page. */
  side?: Html | undefined;
  main: Html;
  /** The outline of the page. */
  outline?: Html | undefined;
  /** The inline style sheet of the page. */
  styles: string;
  /** Names of scripts that only some pages need. */
  scripts?: readonly string[];
  isWide?: boolean;
  /** Whether all code and formulas are rendered; otherwise the browser requests the page once more. */
  isComplete?: boolean;
}

/** Renders the complete HTML of a page of a site. */
export function renderLayout(
  frame: Frame,
  { title, head, side, main, outline, styles, scripts = [], isWide, isComplete = true }: PageParts,
): Html {
  const { visit, language } = frame;
  const { customization, base } = visit;
  const { texts } = language;
  const { themes, styling } = customization;
  const reservedPath = `${base}${RESERVED_SEGMENT}/`;
  const siteTitle = titleOf(visit);
  const classes = [
    side ? 'has-side' : '',
    outline ? 'has-outline' : '',
    isWide ? 'is-wide' : '',
    `theme-${styling.theme}`,
    `side-${styling.sidebar.background}`,
    `list-${styling.sidebar.list}`,
    `links-${styling.links}`,
    `depth-${styling.depth}`,
    `bar-${customization.header.preset}`,
  ].filter(Boolean);
  return html`<!doctype html>
<html lang="${language.content}" dir="${language.direction}" data-theme="${themes.default}" class="${classes.join(' ')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === siteTitle ? title : `${title} | ${siteTitle}`}</title>
<meta name="generator" content="Colophon">
<meta name="color-scheme" content="${themes.toggeable ? 'light dark' : themes.default}">
${head}
${favicon(customization)}
<link rel="stylesheet" href="${reservedPath}${STYLES_NAME}">
<style>${rawHtml(styles)}</style>
${themes.toggeable && html`<script>${rawHtml(THEME_SCRIPT)}</script>`}
${[...SCRIPT_NAMES, ...scripts].map((name) => html`<script type="module" src="${reservedPath}${name}"></script>\n`)}
</head>
<body data-search="${reservedPath}search.json" data-copied="${texts.copied}" data-none="${texts.noResults}" data-failed="${texts.searchFailed}"${!isComplete && html` data-incomplete`}>
<a class="skip" href="#${ownId('main')}"${language.mark}>${texts.skip}</a>
${visit.isPreview && previewBar(visit, language)}
${announcement(frame)}
${bar(frame, siteTitle, reservedPath, side !== undefined)}
${sectionTabs(frame)}
<div class="frame">
${side}
<main id="${ownId('main')}" tabindex="-1">${main}</main>
${outline}
</div>
${foot(frame)}
${searchDialog(language, reservedPath)}
</body>
</html>
`;
}

export const pageScripts = (customization: Customization): string[] =>
  customization.themes.toggeable ? [scriptHash(THEME_SCRIPT)] : [];

function favicon({ favicon: settings, styling }: Customization): Html {
  if ('icon' in settings && settings.icon) {
    const { light, dark } = settings.icon;
    return html`<link rel="icon" href="${light}" media="(prefers-color-scheme: light)"><link rel="icon" href="${dark}" media="(prefers-color-scheme: dark)">`;
  }
  const drawn =
    'emoji' in settings && settings.emoji
      ? `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><text y="26" font-size="26">${emojiCharacters(settings.emoji)}</text></svg>`
      : `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${styling.primaryColor.light}"/><path d="M9 8h14v16l-7-4-7 4z" fill="#fff"/></svg>`;
  return html`<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(drawn)}">`;
}

const isButton = ({ style }: ResolvedLink): boolean => style?.startsWith('button') === true;

const anchor = ({ title, target, style }: ResolvedLink, className?: string): Html => {
  const href = target?.href === undefined ? undefined : safeHref(target.href);
  const classes = [className, style?.startsWith('button') && `button ${style.slice('button-'.length)}`]
    .filter(Boolean)
    .join(' ');
  if (href === undefined) return html`<span${classes && html` class="${classes}"`}>${title}</span>`;
  return html`<a href="${href}"${classes && html` class="${classes}"`}>${title}</a>`;
};

function announcement({ announcement: link, visit, language }: Frame): Html | undefined {
  const settings = visit.customization.announcement;
  if (!settings?.enabled) return undefined;
  return html`<aside class="announcement ${settings.style}" aria-label="${language.texts.hints[settings.style]}"><p>${settings.message} ${link && anchor(link)}</p></aside>`;
}

function bar(
  { visit, language, header }: Frame,
  siteTitle: string,
  reservedPath: string,
  hasSide: boolean,
): Html {
  const { customization, base } = visit;
  const { texts } = language;
  const { logo, preset } = customization.header;
  const themed = logo && [safeSource(logo.light), safeSource(logo.dark)];
  const brand = themed
    ? html`<img class="logo only-light" src="${themed[0] ?? ''}" alt="${siteTitle}"><img class="logo only-dark" src="${themed[1] ?? ''}" alt="${siteTitle}">`
    : html`${siteMark(customization)}<span>${siteTitle}</span>`;
  const links = header.map((link) =>
    link.links && link.links.length > 0
      ? html`<details class="drop"><summary>${link.title}</summary><ul>${link.links.map((one) => html`<li>${anchor(one)}</li>`)}</ul></details>`
      : anchor(link),
  );
  // For narrow screens, where the links do not fit side by side. Buttons are in it only where they do not fit, either.
  const flat = header.flatMap((link) => (link.links?.length ? link.links : link));
  const more = html`<details class="drop more${flat.every(isButton) && ' only-buttons'}"><summary class="tool" aria-label="${texts.moreLinks}">${uiIcon('more')}</summary><ul>${flat.map((link) => html`<li${isButton(link) && html` class="as-button"`}>${anchor({ ...link, style: undefined })}</li>`)}</ul></details>`;
  return html`<header class="bar${preset === 'none' && ' bare'}"><div class="bar-in">
${hasSide && html`<a class="open-side tool" href="#${ownId('contents')}" aria-label="${texts.contents}">${uiIcon('menu')}</a>`}
<a class="brand" href="${base}">${brand}</a>
<a class="find" href="${reservedPath}search" role="button" aria-label="${texts.search}" aria-keyshortcuts="/">${uiIcon('search')}<span${language.mark}>${texts.search}</span><kbd>/</kbd></a>
${links.length > 0 && html`<nav class="bar-links" aria-label="${siteTitle}">${links}${more}</nav>`}
${customization.themes.toggeable && html`<button type="button" class="theme tool" hidden aria-label="${texts.theme}">${uiIcon('sun')}${uiIcon('moon')}</button>`}
</div></header>`;
}

function siteMark({ favicon: settings }: Customization): Html {
  if ('icon' in settings && settings.icon) {
    const [light, dark] = [safeSource(settings.icon.light), safeSource(settings.icon.dark)];
    return html`<img class="mark only-light" src="${light ?? ''}" alt=""><img class="mark only-dark" src="${dark ?? ''}" alt="">`;
  }
  if ('emoji' in settings && settings.emoji) return html`${iconOf({ emoji: settings.emoji })}`;
  return html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="7" class="mark-ground"/><path d="M9 8h14v16l-7-4-7 4z" class="mark-shape"/></svg>`;
}

/** The tabs of a site's sections, below the header. */
function sectionTabs({ visit, language }: Frame): Html | undefined {
  const { published, place } = visit;
  if (published?.structure.type !== 'sections') return undefined;
  const nodes = topLevel(published);
  if (nodes.length < 2) return undefined;
  const current = place.section?.id;
  const tab = (node: SectionOrGroup): Html => {
    if (node.object === 'site-section') {
      const href = pathOn(visit, node.default ? [] : [node.path]);
      return html`<a href="${href}"${node.id === current && html` aria-current="true"`}>${iconOf(node)}${node.title}</a>`;
    }
    const inside = sectionsIn([node]);
    const isCurrent = inside.some(({ id }) => id === current);
    return html`<details class="drop"><summary${isCurrent && html` class="current"`}>${iconOf(node)}${node.title}</summary><ul>${inside.map((section) => html`<li>${tab(section)}${section.description && html`<small>${section.description}</small>`}</li>`)}</ul></details>`;
  };
  return html`<nav class="tabs-bar" aria-label="${language.texts.sections}"><div>${nodes.map(tab)}</div></nav>`;
}

function foot({ visit, language, footer }: Frame): Html {
  const { customization } = visit;
  const { logo, copyright } = customization.footer;
  const privacy = customization.privacyPolicy.url;
  const groups = footer.map(
    ({ title, links }) =>
      html`<div><h2>${title}</h2><ul>${links.map((link) => html`<li>${anchor(link)}</li>`)}</ul></div>`,
  );
  return html`<footer class="foot"><div class="foot-in">
${logo && html`<img class="logo only-light" src="${safeSource(logo.light) ?? ''}" alt=""><img class="logo only-dark" src="${safeSource(logo.dark) ?? ''}" alt="">`}
${groups.length > 0 && html`<div class="foot-groups">${groups}</div>`}
<p class="foot-line"><span>${copyright ?? titleOf(visit)}</span>${privacy !== undefined && html`<a href="${privacy}"${language.mark}>${language.texts.privacy}</a>`}${customization.trademark.enabled && html`<span${language.mark}>${language.texts.madeWith}</span>`}</p>
</div></footer>`;
}

const searchDialog = ({ texts, mark }: InterfaceLanguage, reservedPath: string): Html =>
  html`<dialog class="search"${mark} aria-label="${texts.search}"><form action="${reservedPath}search" role="search"><label>${uiIcon('search')}<span class="visually-hidden">${texts.search}</span><input type="search" name="q" autocomplete="off" maxlength="200" placeholder="${texts.searchPlaceholder}" role="combobox" aria-expanded="false" aria-controls="${ownId('found')}" aria-autocomplete="list"></label><button type="button" class="tool close" aria-label="${texts.close}">${uiIcon('close')}</button></form><div class="found" id="${ownId('found')}" role="listbox" aria-label="${texts.search}"></div><p class="search-state" role="status" dir="auto"></p><p class="search-keys" dir="auto">${texts.searchKeys}</p></dialog>`;
