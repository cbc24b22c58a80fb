import { partOf } from '../../../routers/engine/document/api-part.ts';
import type { Block } from '../../../routers/engine/document/document.ts';
import { safeHref } from '../../../routers/engine/document/safe-href.ts';
import { mediaGroupsOf } from '../../../routers/engine/specs/media-types.ts';
import {
  type Callback,
  callbacksOf,
  type Operation,
  operationOf,
} from '../../../routers/engine/specs/operation-reader.ts';
import { mediaOf, type Spec, SpecReader, schemasOf } from '../../../routers/engine/specs/spec-reader.ts';
import { type Fields, fieldsOf } from '../../../routers/engine/values.ts';
import { type Html, html } from '../../http/html.ts';
import { uiIcon } from '../icons.ts';
import type { Texts } from '../languages/texts.ts';
import { renderBodyExamples, renderGivenExamples, renderMedia, renderTypes } from './media.ts';
import type { Target } from './render-context.ts';
import { requestBodyOf } from './request-body.ts';
import { describeResponses, renderResponseSample, renderResponses, sampledResponse } from './responses.ts';
import { renderRequestSamples } from './samples.ts';
import { renderDescription, renderParameter, renderWholeSchema } from './schemas.ts';
import { renderSecurity, securityAlternatives } from './security.ts';
import { renderTryForm } from './try-form.ts';

/** Maximum number of servers that are offered for an operation. */
const MAX_SERVERS = 10;

/** Maximum number of models in one block. */
const MAX_MODELS = 100;

const PLACES = ['path', 'query', 'header', 'cookie'] as const;

/**
 * Renders what a block shows of an OpenAPI spec; undefined if the spec does not contain it.
 * @param origins receives the origins that its forms send to
 * @param source what the block refers to
 */
export function apiBlock(
  block: Block,
  spec: Spec | undefined,
  texts: Texts,
  origins: Set<string>,
  source?: Target,
): Html | undefined {
  const part = partOf(block.type, block.data ?? {});
  if (!part) return undefined;
  if (!spec) return linkedOperation(block, part, source);
  const reader = new SpecReader(spec);
  if (part.kind === 'models') {
    const schemas = schemasOf(spec);
    return html`<div class="api-models">${part.schemas
      .slice(0, MAX_MODELS)
      .filter((name) => Object.hasOwn(schemas, name))
      .map((name) => renderModel(reader, texts, name, schemas[name]))}</div>\n`;
  }
  const found = operationOf(reader, part);
  if (!found) return source?.file && linkedOperation(block, part, source);
  return renderOperation(reader, texts, { ...found, isWebhook: part.kind === 'webhook' }, origins);
}

/** Renders an operation of a spec that is on the web, or of a file that does not contain it: its method and path, and a link to the spec. */
function linkedOperation(
  { data }: Block,
  part: ReturnType<typeof partOf>,
  source: Target | undefined,
): Html | undefined {
  if (part?.kind !== 'operation') return undefined;
  const { kind } = fieldsOf(data?.ref);
  const isLinked = (kind === 'url' || kind === 'file') && source?.href !== undefined;
  const href = isLinked ? safeHref(source.href as string) : undefined;
  const line = methodLine(part.method, part.path);
  return html`<div class="api">${line}${href !== undefined && html`<p><a href="${href}">${kind === 'file' ? source?.title : href}</a></p>`}</div>\n`;
}

/** Renders a block whose OpenAPI spec is not available, or does not contain what it shows. */
export function unavailableApi(block: Block, { specMissing }: Texts): Html {
  const part = partOf(block.type, block.data ?? {});
  const line = part?.kind === 'operation' && methodLine(part.method, part.path);
  return html`${line}<div class="hint warning" role="note"><span class="hint-icon">${uiIcon('warning')}</span><div><p dir="auto">${specMissing}</p></div></div>\n`;
}

const METHOD = /^[a-z]{1,10}$/;

const methodLine = (method: string, path: string): Html => {
  const name = method.toLowerCase();
  return html`<p class="operation"><span class="method ${METHOD.test(name) && name}">${name.toUpperCase()}</span> <code>${path}</code></p>`;
};

function renderModel(reader: SpecReader, texts: Texts, name: string, schema: unknown): Html {
  return html`<details class="expandable"><summary>${uiIcon('next')}<span><code>${name}</code></span></summary><div>${renderDescription(reader, reader.resolve(schema))}${renderWholeSchema(reader, texts, schema)}</div></details>`;
}

function renderOperation(
  reader: SpecReader,
  texts: Texts,
  { name, method, operation, parameters, servers: listed, isWebhook }: Operation & { isWebhook: boolean },
  origins: Set<string>,
): Html {
  const body = reader.resolve(operation.requestBody);
  const alternatives = securityAlternatives(reader, operation);
  const servers = urlsOf(listed);
  const description = html`
${renderTitle(texts, operation)}
${methodLine(method, name)}
${renderDescription(reader, operation)}
${renderSecurity(reader, alternatives, texts)}
${renderParameters(reader, texts, parameters)}
${renderBody(reader, texts, body)}`;
  const responses = describeResponses(reader, texts, operation);
  const sampled = sampledResponse(responses);
  const callbacks = renderCallbacks(reader, texts, operation);
  // Made last, so that examples do not use up what may be shown of the schemas.
  const request = {
    method,
    path: name,
    servers,
    parameters,
    body: requestBodyOf(reader, mediaOf(reader, body.content)),
    alternatives,
  };
  const samples = html`
${!isWebhook && renderRequestSamples(reader, texts, request)}
${renderBodyExamples(reader, texts, body.content)}
${!isWebhook && renderTryForm(reader, texts, request, origins)}
${sampled && renderResponseSample(reader, texts, sampled)}
`;
  return html`<div class="api">
<div class="api-text">${description}
<p class="api-part">${texts.responses}</p>
${renderResponses(reader, texts, responses, sampled)}
${callbacks}
</div>
<div class="api-samples">${samples}</div>
</div>\n`;
}

function renderTitle(texts: Texts, { summary, deprecated }: Fields): Html | undefined {
  const title = typeof summary === 'string' ? summary : undefined;
  const isDeprecated = deprecated === true;
  if (title === undefined && !isDeprecated) return undefined;
  return html`<p class="api-title">${title}${isDeprecated && html` <span class="deprecated">${texts.deprecated}</span>`}</p>`;
}

const renderParameters = (
  reader: SpecReader,
  texts: Texts,
  parameters: readonly Fields[],
): (Html | false)[] =>
  PLACES.map((place) => {
    const inPlace = parameters.filter((parameter) => parameter.in === place);
    return (
      inPlace.length > 0 &&
      html`<p class="api-part">${texts.parameters[place]}</p><ul class="properties">${inPlace.map((parameter) => renderParameter(reader, texts, String(parameter.name), parameter))}</ul>`
    );
  });

/** Renders the callbacks of an operation, folded, and without callbacks of their own. */
function renderCallbacks(reader: SpecReader, texts: Texts, operation: Fields): Html | undefined {
  const rendered = callbacksOf(reader, operation)
    .filter(({ name, url }) => reader.spendPart() && reader.spendText(name) && reader.spendText(url))
    .map((callback) => renderCallback(reader, texts, callback));
  return rendered.length > 0 ? html`<p class="api-part">${texts.callbacks}</p>${rendered}` : undefined;
}

function renderCallback(
  reader: SpecReader,
  texts: Texts,
  { name, method, url, operation, parameters }: Callback,
): Html {
  const body = reader.resolve(operation.requestBody);
  const responses = describeResponses(reader, texts, operation);
  return html`<details class="expandable"><summary>${uiIcon('next')}<span><code>${name}</code></span></summary><div>
${renderTitle(texts, operation)}
${methodLine(method, url)}
${renderDescription(reader, operation)}
${renderParameters(reader, texts, parameters)}
${renderBody(reader, texts, body)}
${renderGivenExamples(reader, texts, texts.body, body.content)}
${responses.length > 0 && html`<p class="api-part">${texts.responses}</p>${renderResponses(reader, texts, responses)}`}
</div></details>`;
}

function renderBody(reader: SpecReader, texts: Texts, body: Fields): Html | undefined {
  const groups = mediaGroupsOf(reader, body.content);
  if (groups.length === 0) return undefined;
  return html`<p class="api-part">${texts.body} ${renderTypes(groups)}</p>${renderDescription(reader, body)}${renderMedia(reader, texts, groups)}`;
}

/** The URLs of servers, without a trailing slash. */
const urlsOf = (servers: readonly unknown[]): string[] => [
  ...new Set(servers.slice(0, MAX_SERVERS).flatMap((server) => serverUrl(server) ?? [])),
];

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
