/** Descriptions as HTML, which readers of an OpenAPI document expect beside those in Markdown. */

import createMarkdownIt from 'markdown-it';
import { DATA_KEYWORDS, MAP_KEYWORDS } from './references.ts';

/** The member that holds the HTML of a description. */
const HTML_KEY = 'x-gitbook-description-html';

/** Characters of a description that are read as Markdown; a longer one is text. */
const MAX_MARKDOWN = 50_000;

/** Characters of HTML in one document; the descriptions after those are left as they are. */
const MAX_HTML = 4_000_000;

/** Without a scheme, or with one that runs nothing. */
const SAFE_ADDRESS = /^(?:https?:|mailto:|[^:]*$|[^:]*[/?#])/i;

const markdown = createMarkdownIt({ html: false, breaks: true, maxNesting: 20 });
markdown.validateLink = (address) => SAFE_ADDRESS.test(address.trim());

/**
 * Adds to each description in a document, which is changed, its HTML. No HTML of the author is in it: tags are shown as
 * text. HTML that the document brings along is removed.
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
