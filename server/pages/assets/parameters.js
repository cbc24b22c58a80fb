// Writes parameters of API requests as OpenAPI specifies. Also used by the service, for its examples of requests.

/** Writes text in a query as `URLSearchParams` does. */
export const queryEncoded = (text) => new URLSearchParams([['', text]]).toString().slice(1);

const textOf = (value) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** What separates the items of a list that is one value. Separators are not encoded like the items. */
const SEPARATORS = { spaceDelimited: '%20', pipeDelimited: '%7C', tabDelimited: '%09' };

/**
 * Writes a parameter with its value: a list, an object, or anything else, in the style of OpenAPI. In the styles `form` and
 * `matrix` and those like them, the name is included.
 */
export function serialize(name, value, { style, explode }, encode) {
  const key = encode(name);
  const isList = Array.isArray(value);
  const isObject = !isList && typeof value === 'object' && value !== null;
  const items = isObject
    ? Object.entries(value)
    : isList
      ? value.map((item) => [name, item])
      : [[name, value]];
  const pairs = items.map(([of, item]) => [encode(of), encode(textOf(item))]);
  const values = isObject ? pairs.flat() : pairs.map(([, item]) => item);
  const named = pairs.map((pair) => pair.join('='));
  const isExploded = explode && (isList || isObject);
  // In a path or a header, items have no names.
  const exploded = isObject ? named : values;
  switch (style) {
    case 'simple':
      return (isExploded ? exploded : values).join(',');
    case 'label':
      return `.${isExploded ? exploded.join('.') : values.join(',')}`;
    case 'matrix':
      return `;${isExploded ? named.join(';') : `${key}=${values.join(',')}`}`;
    case 'deepObject':
      return isObject ? pairs.map(([of, item]) => `${key}%5B${of}%5D=${item}`).join('&') : named.join('&');
    default:
      return isExploded ? named.join('&') : `${key}=${values.join(SEPARATORS[style] ?? ',')}`;
  }
}

/** Reads the value of a list or an object from text: as JSON, or a list also as items separated by commas. */
export function parseValue(text, shape) {
  if (shape === 'value') return text;
  const parsed = parseJson(text);
  const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
  if (shape === 'object') return isObject ? parsed : text;
  if (Array.isArray(parsed)) return parsed;
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Writes a value as text that `parseValue` reads. */
export function valueText(value) {
  const isPlain = (item) =>
    ['string', 'number', 'boolean'].includes(typeof item) && /^[^,[\s](?:[^,]*[^,\s])?$/.test(String(item));
  return Array.isArray(value) && value.length > 0 && value.every(isPlain) ? value.join(',') : textOf(value);
}
