import { fieldsOf } from '../values.ts';
import { addHtmlDescriptions } from './descriptions.ts';
import { SHOWN_SPEC_LIMIT } from './limits.ts';
import { versionIn } from './openapi-version.ts';
import { parseSpecText } from './read.ts';

/**
 * The OpenAPI document in a file, in JSON or YAML, as the JSON that pages show: with descriptions in HTML, and with
 * references to other documents as they are. Undefined if it is not one, or too large.
 */
export function shownDocument(bytes: Uint8Array): string | undefined {
  const read = parseSpecText(bytes);
  if (!('value' in read) || versionIn(fieldsOf(read.value)) === undefined) return undefined;
  addHtmlDescriptions(read.value);
  const json = JSON.stringify(read.value);
  return Buffer.byteLength(json) > SHOWN_SPEC_LIMIT ? undefined : json;
}
