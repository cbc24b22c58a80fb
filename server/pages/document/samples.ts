import type { SpecReader } from '../../../routers/engine/specs/spec-reader.ts';
import type { Fields } from '../../../routers/engine/values.ts';
import { type Html, html } from '../../http/html.ts';
import { queryEncoded, serialize } from '../assets/parameters.js';
import { uiIcon } from '../icons.ts';
import type { Texts } from '../languages/texts.ts';
import { exampleText } from './parameters.ts';
import type { FormField, RequestBody } from './request-body.ts';
import { LANGUAGES, type Sample, type SampleBody, type SamplePart } from './sample-languages.ts';
import { type Alternative, credentialOf } from './security.ts';

export interface OperationRequest {
  method: string;
  path: string;
  servers: readonly string[];
  parameters: readonly Fields[];
  body: RequestBody | undefined;
  alternatives: readonly Alternative[];
}

/** Renders examples of a request, in tabs by language. */
export function renderRequestSamples(reader: SpecReader, texts: Texts, request: OperationRequest): Html {
  const sample = sampleOf(reader, request);
  const panels = Object.entries(LANGUAGES).map(
    ([title, format]) =>
      html`<section class="tab" data-title="${title}"><p class="tab-title">${title}</p><figure class="code"><pre tabindex="0"><code>${format(sample)}</code></pre><button type="button" class="copy" hidden aria-label="${texts.copyCode}">${uiIcon('copy')}</button></figure></section>`,
  );
  return html`<div class="tabs samples" aria-label="${texts.request}">${panels}</div>`;
}

function sampleOf(
  reader: SpecReader,
  { method, path, servers, parameters, body, alternatives }: OperationRequest,
): Sample {
  const written = (parameter: Fields) => exampleText(reader, parameter);
  const required = (place: string) =>
    parameters.filter(
      (parameter) => parameter.in === place && (place === 'path' || parameter.required === true),
    );
  let filledPath = path;
  for (const parameter of required('path'))
    filledPath = filledPath.replaceAll(`{${String(parameter.name)}}`, () => written(parameter));
  const credentials = (alternatives.find(({ length }) => length > 0) ?? []).flatMap(credentialOf);
  const query = [
    ...required('query').map(written),
    ...credentials.filter((one) => one.in === 'query').map(({ name }) => `${queryEncoded(name)}=YOUR_KEY`),
  ]
    .filter((part) => part !== '')
    .join('&');
  const cookies = [
    ...required('cookie').flatMap((parameter) => written(parameter).split('&')),
    ...credentials.filter((one) => one.in === 'cookie').map(({ name }) => `${name}=YOUR_KEY`),
  ];
  return {
    method: method.toUpperCase(),
    url: `${servers[0] ?? 'https://api.example.com'}${filledPath}${query && `?${query}`}`,
    headers: [
      ...credentials
        .filter((one) => one.in === 'header')
        .map(({ name, prefix }): [string, string] => [name, prefix ? `${prefix} YOUR_TOKEN` : 'YOUR_KEY']),
      ...(cookies.length > 0 ? [['Cookie', cookies.join('; ')] as [string, string]] : []),
      ...required('header').map((parameter): [string, string] => [
        String(parameter.name),
        written(parameter),
      ]),
      // Clients add the type of a multipart body themselves, with the boundary between its parts.
      ...(body && !isMultipart(body) ? [['Content-Type', body.type] as [string, string]] : []),
    ],
    body: body && sampleBody(body),
  };
}

const isMultipart = (body: RequestBody): boolean => body.kind === 'form' && body.isMultipart;

function sampleBody(body: RequestBody): SampleBody {
  if (body.kind === 'file') return { kind: 'file' };
  if (body.kind === 'text') return { kind: 'text', text: body.text, isJson: body.type.includes('json') };
  if (body.isMultipart) return { kind: 'parts', parts: body.fields.flatMap(partsOf) };
  const fields = body.fields.map(({ name, example, format }) =>
    serialize(name, example, format, queryEncoded),
  );
  return { kind: 'text', text: fields.filter((field) => field !== '').join('&'), isJson: false };
}

/** The parts of a multipart body that a field consists of: one for each item of a list. */
function partsOf({ name, isFile, example }: FormField): SamplePart[] {
  if (isFile) return [{ name, text: undefined }];
  return [example].flat(1).map((value) => ({
    name,
    text: typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  }));
}
