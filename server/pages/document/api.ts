import { partOf } from '../../../routers/engine/document/api-part.ts';
import type { Block } from '../../../routers/engine/document/document.ts';
import { safeHref } from '../../../routers/engine/document/safe-href.ts';
import {
  exampleOf,
  type Fields,
  fieldsOf,
  mediaOf,
  operationOf,
  parametersOf,
  responsesOf,
  type Spec,
  SpecReader,
  schemasOf,
  typeText,
} from '../../../routers/engine/specs/spec-reader.ts';
import { type Html, html } from '../../http/html.ts';
import { uiIcon } from '../icons.ts';
import type { Texts } from '../languages/texts.ts';
import { requestSamples } from './samples.ts';
import { described, parts, property } from './schemas.ts';
import { alternativesOf, drawSecurity } from './security.ts';
import { tryForm } from './try-form.ts';

/** Servers of an operation that are offered. */
const MAX_SERVERS = 10;

/** Most models of one block. */
const MAX_MODELS = 100;

const PLACES = ['path', 'query', 'header', 'cookie'] as const;

/**
 * What a block shows of a specification; undefined if it is not in it.
 * @param origins takes those that its forms send to
 */
export function apiBlock(
  block: Block,
  spec: Spec | undefined,
  texts: Texts,
  origins: Set<string>,
): Html | undefined {
  const part = partOf(block.type, block.data ?? {});
  if (!part) return undefined;
  if (!spec) return elsewhere(block, part);
  const reader = new SpecReader(spec);
  if (part.kind === 'models') {
    const schemas = schemasOf(spec);
    return html`<div class="api-models">${part.schemas
      .slice(0, MAX_MODELS)
      .filter((name) => Object.hasOwn(schemas, name))
      .map((name) => model(reader, texts, name, schemas[name]))}</div>\n`;
  }
  const found = operationOf(reader, part);
  if (!found) return undefined;
  return drawOperation(reader, texts, { ...found, isWebhook: part.kind === 'webhook' }, origins);
}

/** An operation of a document that is only referred to: its name, and where it is. */
function elsewhere({ data }: Block, part: ReturnType<typeof partOf>): Html | undefined {
  if (part?.kind !== 'operation') return undefined;
  const { kind, url } = fieldsOf(data?.ref);
  const href = kind === 'url' && typeof url === 'string' ? safeHref(url) : undefined;
  const line = methodLine(part.method, part.path);
  return html`<div class="api">${line}${href !== undefined && html`<p><a href="${href}">${href}</a></p>`}</div>\n`;
}

const METHOD = /^[a-z]{1,10}$/;

const methodLine = (method: string, path: string): Html => {
  const name = method.toLowerCase();
  return html`<p class="operation"><span class="method ${METHOD.test(name) && name}">${name.toUpperCase()}</span> <code>${path}</code></p>`;
};

function model(reader: SpecReader, texts: Texts, name: string, schema: unknown): Html {
  const inner = parts(reader, texts, schema);
  return html`<details class="expandable"><summary>${uiIcon('next')}<span><code>${name}</code></span></summary><div>${described(reader.resolve(schema))}${inner ?? html`<p class="type">${typeText(reader, schema)}</p>`}</div></details>`;
}

interface Operation {
  name: string;
  method: string;
  item: Fields;
  operation: Fields;
  isWebhook: boolean;
}

function drawOperation(reader: SpecReader, texts: Texts, given: Operation, origins: Set<string>): Html {
  const { name, method, item, operation, isWebhook } = given;
  const parameters = parametersOf(reader, item, operation);
  const body = reader.resolve(operation.requestBody);
  const sent = mediaOf(reader, body.content);
  const alternatives = alternativesOf(reader, operation);
  const servers = serversOf(reader, item, operation);
  const request = { method, path: name, servers, parameters, sent, alternatives };
  const summary = typeof operation.summary === 'string' ? operation.summary : undefined;
  return html`<div class="api">
<div class="api-text">
${summary !== undefined && html`<p class="api-title">${summary}${operation.deprecated === true && html` <span class="deprecated">${texts.deprecated}</span>`}</p>`}
${methodLine(method, name)}
${described(operation)}
${drawSecurity(alternatives, texts)}
${PLACES.map((place) => {
  const here = parameters.filter((parameter) => parameter.in === place);
  return (
    here.length > 0 &&
    html`<p class="api-part">${texts.parameters[place]}</p><ul class="properties">${here.map((parameter) => drawParameter(reader, texts, parameter))}</ul>`
  );
})}
${sent && html`<p class="api-part">${texts.body} <span class="type">${sent.type}</span></p>${described(body)}${parts(reader, texts, sent.schema) ?? html`<p class="type">${typeText(reader, sent.schema)}</p>`}`}
<p class="api-part">${texts.responses}</p>
${drawResponses(reader, texts, operation)}
</div>
<div class="api-samples">
${!isWebhook && requestSamples(reader, texts, request)}
${!isWebhook && tryForm(reader, texts, request, origins)}
${responseSample(reader, texts, operation)}
</div>
</div>\n`;
}

const drawParameter = (reader: SpecReader, texts: Texts, parameter: Fields): Html =>
  property(reader, texts, {
    name: String(parameter.name),
    schema: parameter.schema ?? mediaOf(reader, parameter.content)?.schema ?? parameter,
    isRequired: parameter.required === true,
    said: described(parameter),
    isDeprecated: parameter.deprecated === true,
    depth: 0,
  });

/** The servers that an operation is sent to, without a slash at the end. */
function serversOf(reader: SpecReader, item: Fields, operation: Fields): string[] {
  const lists = [operation.servers, item.servers, reader.spec.servers];
  const servers = (lists.find((list) => Array.isArray(list) && list.length > 0) ?? []) as unknown[];
  const { host, basePath = '' } = reader.spec;
  if (servers.length === 0 && typeof host === 'string') return [`https://${host}${String(basePath)}`];
  return [...new Set(servers.slice(0, MAX_SERVERS).flatMap((server) => serverUrl(server) ?? []))];
}

function serverUrl(server: unknown): string | undefined {
  const { url, variables } = fieldsOf(server);
  if (typeof url !== 'string') return undefined;
  const values = fieldsOf(variables);
  return url
    .replace(/\{([\w-]{1,50})\}/g, (all, name: string) =>
      Object.hasOwn(values, name) ? String(fieldsOf(values[name]).default ?? all) : all,
    )
    .replace(/\/$/, '');
}

function drawResponses(reader: SpecReader, texts: Texts, operation: Fields): Html {
  const drawn = responsesOf(operation).map(([status, given]) => {
    const response = reader.resolve(given);
    const media =
      mediaOf(reader, response.content) ??
      (response.schema ? { type: '', schema: response.schema } : undefined);
    const inner =
      media &&
      (parts(reader, texts, media.schema) ?? html`<p class="type">${typeText(reader, media.schema)}</p>`);
    return html`<details class="expandable response"><summary>${uiIcon('next')}<span><span class="status ${/^\d/.test(status) && `of-${status[0]}`}">${status}</span> ${typeof response.description === 'string' && response.description.split('\n')[0]}</span></summary><div>${described(response)}${inner}</div></details>`;
  });
  return html`<div class="responses">${drawn}</div>`;
}

/** An example of the first response of success. */
function responseSample(reader: SpecReader, texts: Texts, operation: Fields): Html | undefined {
  const [status, given] = responsesOf(operation).find(([code]) => code.startsWith('2')) ?? [];
  if (status === undefined) return undefined;
  const response = reader.resolve(given);
  const media = mediaOf(reader, response.content);
  if (!media) return undefined;
  const example = media.example ?? exampleOf(reader, media.schema);
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  return html`<figure class="code"><figcaption>${texts.response} ${status}</figcaption><pre tabindex="0"><code>${text}</code></pre><button type="button" class="copy" hidden aria-label="${texts.copyCode}">${uiIcon('copy')}</button></figure>`;
}
