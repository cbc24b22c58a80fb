import type { SpecReader } from '../../../routers/engine/specs/spec-reader.ts';
import { type Fields, fieldsOf } from '../../../routers/engine/values.ts';
import { type Html, html } from '../../http/html.ts';
import type { Texts } from '../languages/texts.ts';
import { renderDescription } from './schemas.ts';

/** Maximum numbers of alternatives shown for an operation, and of schemes in one. */
const MAX_ALTERNATIVES = 10;
const MAX_SCHEMES = 5;

/** A security scheme of an OpenAPI spec, with its name there. */
export interface Scheme {
  name: string;
  scheme: Fields;
}

/** Schemes that are required together; empty if authorization is optional. */
export type Alternative = readonly Scheme[];

/** How a request carries the credential of a scheme. */
export interface Credential {
  in: 'header' | 'query' | 'cookie';
  /** The name of the header, query parameter or cookie. */
  name: string;
  /** Precedes the credential in its header, such as `Bearer`; empty for API keys. */
  prefix: string;
}

/** The alternative ways to authorize an operation. */
export function securityAlternatives(reader: SpecReader, operation: Fields): Alternative[] {
  const { spec } = reader;
  const required = operation.security ?? spec.security;
  const schemes = fieldsOf(fieldsOf(spec.components).securitySchemes ?? spec.securityDefinitions);
  return (Array.isArray(required) ? required : []).slice(0, MAX_ALTERNATIVES).map((requirement) =>
    Object.keys(fieldsOf(requirement))
      .slice(0, MAX_SCHEMES)
      .map((name) => ({
        name,
        scheme: reader.resolve(Object.hasOwn(schemes, name) ? schemes[name] : undefined),
      })),
  );
}

/** The credential of a scheme, if it is text that a reader can enter; a client certificate, for example, is not. */
export function credentialOf({ scheme }: Scheme): Credential[] {
  const { type, name, in: place } = scheme;
  switch (type) {
    case 'apiKey':
      return typeof name === 'string' && (place === 'header' || place === 'query' || place === 'cookie')
        ? [{ in: place, name, prefix: '' }]
        : [];
    case 'http':
      return [{ in: 'header', name: 'Authorization', prefix: prefixOf(scheme) }];
    case 'basic':
      return [{ in: 'header', name: 'Authorization', prefix: 'Basic' }];
    case 'oauth2':
    case 'openIdConnect':
      return [{ in: 'header', name: 'Authorization', prefix: 'Bearer' }];
    default:
      return [];
  }
}

/** The name of an HTTP authentication scheme, in its usual capitalization; servers ignore case. */
function prefixOf({ scheme }: Fields): string {
  const name = typeof scheme === 'string' && /^[\w.-]{1,50}$/.test(scheme) ? scheme : 'Bearer';
  return ['Basic', 'Bearer'].find((known) => known.toLowerCase() === name.toLowerCase()) ?? name;
}

/** Headers that browsers do not let scripts set. */
const FORBIDDEN_HEADER =
  /^(?:accept-charset|accept-encoding|access-control-request-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|permissions-policy|proxy-.*|referer|sec-.*|set-cookie|te|trailer|transfer-encoding|upgrade|via)$/i;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** Whether a script in a page can send a header. */
export const isSendableHeader = (name: string): boolean =>
  HEADER_NAME.test(name) && !FORBIDDEN_HEADER.test(name);

/** Whether a script in a page can send a credential: not in another site's cookies, nor one computed for each request. */
export const isSendable = (credential: Credential): boolean =>
  credential.in === 'query' ||
  (credential.in === 'header' &&
    isSendableHeader(credential.name) &&
    !/^(?:digest|negotiate|hoba|mutual)$/i.test(credential.prefix));

/** Renders the ways to authorize an operation. */
export function renderSecurity(
  reader: SpecReader,
  alternatives: readonly Alternative[],
  texts: Texts,
): Html | undefined {
  if (!alternatives.some(({ length }) => length > 0)) return undefined;
  const isChoice = alternatives.length > 1;
  return html`<p class="api-part">${texts.authorization}${isChoice && html` <span class="type">${texts.oneOf}</span>`}</p><ul class="properties">${alternatives.map(
    (schemes) =>
      html`<li class="property">${schemes.length === 0 ? html`<p class="type">${texts.noAuthorization}</p>` : schemes.map((scheme) => renderScheme(reader, scheme))}</li>`,
  )}</ul>`;
}

function renderScheme(reader: SpecReader, { name, scheme }: Scheme): Html {
  const kind = [scheme.type, scheme.scheme, scheme.in].filter((one) => typeof one === 'string').join(' · ');
  const [credential] = credentialOf({ name, scheme });
  return html`<div class="property-head"><code class="property-name">${credential?.name ?? name}</code> <span class="type">${kind}</span></div>${renderDescription(reader, scheme)}`;
}

/** How the alternatives are told apart: by the names of their schemes. */
export const alternativeTitle = (schemes: Alternative, texts: Texts): string =>
  schemes.length === 0 ? texts.noAuthorization : schemes.map(({ name }) => name).join(' + ');
