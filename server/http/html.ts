/** HTML that is safe to send: whatever was put into it is escaped. */
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
  return escaped(String(value));
}

/**
 * Writes HTML: values in the template are escaped, for text and for attributes in quotes; other templates stay what they are,
 * lists are joined, and `false`, `null` and `undefined` are nothing.
 */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html =>
  new Html(parts.reduce((text, part, i) => text + textOf(values[i - 1]) + part));
