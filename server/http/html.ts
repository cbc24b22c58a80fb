/** HTML that is safe to send: all values in it have been escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | false | null | undefined | readonly Value[];

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

function textOf(value: Value): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(textOf).join('');
  if (value === false || value === null || value === undefined) return '';
  // guard: html-escaped
  return escaped(String(value));
}

/**
 * A tag for HTML templates: values are escaped, for text and for attributes in quotes; nested templates are inserted as they
 * are, lists are joined, and `false`, `null` and `undefined` are left out.
 */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(parts.reduce((text, part, i) => text + textOf(values[i - 1]) + part));
