import { headingText, readAtxHeading, readInline } from '../import/inline.ts';
import { singleLine } from '../import/text.ts';

/** Escapes a title for use in a heading, so that it is parsed as the same title. */
export function escapeTitle(title: string): string {
  const plain = singleLine(title);
  const content = readAtxHeading(`# ${plain}`)?.content ?? '';
  const { links } = readInline(content);
  return headingText(content) === plain && links.length === 0 ? plain : escapeMarkup(plain);
}

/** Escapes a title for use as the text of a link. */
export function escapeLabel(title: string): string {
  const plain = singleLine(title);
  const [link, ...others] = readInline(`[${plain}](x)`).links;
  return link?.label === plain && link.href === 'x' && others.length === 0 ? plain : escapeMarkup(plain);
}

const escapeMarkup = (text: string): string => text.replace(/[\\`*_[\]<>&~#!$|]/g, '\\$&');
