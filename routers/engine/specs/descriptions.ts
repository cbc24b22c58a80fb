/** Renders descriptions as HTML, which clients of an OpenAPI document expect in addition to the Markdown. */

import createMarkdownIt from 'markdown-it';
import { safeHref } from '../document/safe-href.ts';
import { DATA_KEYWORDS, MAP_KEYWORDS } from './references.ts';

/** The member with the HTML of a description. */
const HTML_KEY = 'x-gitbook-description-html';

/** Maximum length of a description that is rendered as Markdown, in characters; a longer one is rendered as plain text. */
const MAX_MARKDOWN = 50_000;

/** Maximum length of all HTML in one document, in characters; descriptions beyond it get no HTML. */
const MAX_HTML = 4_000_000;

// guard: spec-description-html
const markdown = createMarkdownIt({ html: false, breaks: true, maxNesting: 20 });
// guard: spec-description-links
markdown.validateLink = (address) => safeHref(address) !== undefined;

/**
 * Adds HTML to each description in a document, in place. Tags in a description are escaped. Existing HTML is removed.
 */
export function addHtmlDescriptions(document: unknown): void {
  const rendered = new Map<string, string>();
  let remaining = MAX_HTML;
  const walk = (value: unknown, isMap: boolean, isData: boolean): void => {
    if (typeof value !== 'object' || value === null) return;
    const isList = Array.isArray(value);
    const node = value as Record<string, unknown>;
    for (const [key, inner] of Object.entries(node)) {
      if (typeof inner !== 'object') continue;
      const isKeyword = !isMap && !isList;
      const isExample = isKeyword && (DATA_KEYWORDS.has(key) || (key === 'examples' && Array.isArray(inner)));
      walk(inner, isKeyword && MAP_KEYWORDS.has(key) && !Array.isArray(inner), isData || isExample);
    }
    if (isList) return;
    // guard: spec-description-own-html
    delete node[HTML_KEY];
    if (isMap || isData || typeof node.description !== 'string' || remaining <= 0) return;
    const text = node.description.trim();
    if (text === '') return;
    const html = rendered.get(text) ?? renderDescription(text);
    rendered.set(text, html);
    remaining -= html.length;
    if (remaining > 0) node[HTML_KEY] = html;
  };
  walk(document, false, false);
}

const renderDescription = (text: string): string =>
  text.length > MAX_MARKDOWN ? `<p>${markdown.utils.escapeHtml(text)}</p>` : markdown.render(text).trim();
