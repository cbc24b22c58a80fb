import {
  exampleOf,
  type Fields,
  type Media,
  type SpecReader,
} from '../../../routers/engine/specs/spec-reader.ts';
import { type Html, html } from '../../http/html.ts';
import { queryEncoded } from '../assets/parameters.js';
import { uiIcon } from '../icons.ts';
import type { Texts } from '../languages/texts.ts';
import { exampleText } from './parameters.ts';
import { type Alternative, credentialOf } from './security.ts';

export interface OperationRequest {
  method: string;
  path: string;
  servers: readonly string[];
  parameters: readonly Fields[];
  bodyMedia: Media | undefined;
  alternatives: readonly Alternative[];
}

/** A request with example values for everything that it requires. */
interface Sample {
  method: string;
  url: string;
  headers: [string, string][];
  body: string | undefined;
  isJson: boolean;
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
  { method, path, servers, parameters, bodyMedia, alternatives }: OperationRequest,
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
      ...(bodyMedia ? [['Content-Type', bodyMedia.type] as [string, string]] : []),
    ],
    body: bodyText(reader, bodyMedia),
    isJson: bodyMedia?.type.includes('json') === true,
  };
}

/** An example of a request body, as text. */
export function bodyText(reader: SpecReader, bodyMedia: Media | undefined): string | undefined {
  const example = bodyMedia && (bodyMedia.example ?? exampleOf(reader, bodyMedia.schema));
  return bodyMedia && (typeof example === 'string' ? example : JSON.stringify(example, null, 2));
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const indented = (text: string, by: string) => text.replaceAll('\n', `\n${by}`);

const LANGUAGES: Record<string, (sample: Sample) => string> = {
  cURL: ({ method, url, headers, body }) =>
    [
      `curl -X ${method} ${quoted(url)}`,
      ...headers.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
      ...(body === undefined ? [] : [`  -d ${quoted(body)}`]),
    ].join(' \\\n'),
  JavaScript: ({ method, url, headers, body, isJson }) =>
    `const response = await fetch(${JSON.stringify(url)}, {\n  method: ${JSON.stringify(method)},${
      headers.length > 0
        ? `\n  headers: ${indented(JSON.stringify(Object.fromEntries(headers), null, 2), '  ')},`
        : ''
    }${body === undefined ? '' : `\n  body: ${isJson ? `JSON.stringify(${indented(body, '  ')})` : JSON.stringify(body)},`}\n});\nconst data = await response.json();`,
  Python: ({ method, url, headers, body }) =>
    `import requests\n\nresponse = requests.request(\n    ${JSON.stringify(method)},\n    ${JSON.stringify(url)},${
      headers.length > 0
        ? `\n    headers=${indented(JSON.stringify(Object.fromEntries(headers), null, 4), '    ')},`
        : ''
    }${body === undefined ? '' : `\n    data=${JSON.stringify(body)},`}\n)\nprint(response.json())`,
  Go: ({ method, url, headers, body }) =>
    [
      `${body === undefined ? '' : `body := strings.NewReader(${goText(body)})\n`}request, err := http.NewRequest(${JSON.stringify(method)}, ${JSON.stringify(url)}, ${body === undefined ? 'nil' : 'body'})`,
      'if err != nil {\n\treturn err\n}',
      ...headers.map(
        ([name, value]) => `request.Header.Set(${JSON.stringify(name)}, ${JSON.stringify(value)})`,
      ),
      'response, err := http.DefaultClient.Do(request)',
      'if err != nil {\n\treturn err\n}',
      'defer response.Body.Close()',
    ].join('\n'),
};

const goText = (text: string) => (text.includes('`') ? JSON.stringify(text) : `\`${text}\``);
