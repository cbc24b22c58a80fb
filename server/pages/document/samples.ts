import {
  exampleOf,
  type Fields,
  type Media,
  type SpecReader,
} from '../../../routers/engine/specs/spec-reader.ts';
import { type Html, html } from '../../http/html.ts';
import { uiIcon } from '../icons.ts';
import type { Texts } from '../languages/texts.ts';

interface Request {
  method: string;
  path: string;
  server: string;
  parameters: readonly Fields[];
  sent: Media | undefined;
}

/** A request with values for what it needs. */
interface Sample {
  method: string;
  url: string;
  headers: [string, string][];
  body: string | undefined;
}

/** How a request is sent, in several languages. */
export function requestSamples(reader: SpecReader, texts: Texts, request: Request): Html {
  const sample = sampleOf(reader, request);
  const panels = Object.entries(LANGUAGES).map(
    ([title, write]) =>
      html`<section class="tab" data-title="${title}"><p class="tab-title">${title}</p><figure class="code"><pre tabindex="0"><code>${write(sample)}</code></pre><button type="button" class="copy" hidden aria-label="${texts.copyCode}">${uiIcon('copy')}</button></figure></section>`,
  );
  return html`<div class="tabs samples" aria-label="${texts.request}">${panels}</div>`;
}

function sampleOf(reader: SpecReader, { method, path, server, parameters, sent }: Request): Sample {
  const value = (parameter: Fields) => {
    const found = parameter.example ?? exampleOf(reader, parameter.schema ?? parameter);
    return typeof found === 'string' ? found : JSON.stringify(found);
  };
  const required = (place: string) =>
    parameters.filter(
      (parameter) => parameter.in === place && (place === 'path' || parameter.required === true),
    );
  let filled = path;
  for (const parameter of required('path'))
    filled = filled.replaceAll(`{${String(parameter.name)}}`, () => encodeURIComponent(value(parameter)));
  const query = new URLSearchParams(
    required('query').map((parameter): [string, string] => [String(parameter.name), value(parameter)]),
  ).toString();
  const example = sent && (sent.example ?? exampleOf(reader, sent.schema));
  const body = sent && (typeof example === 'string' ? example : JSON.stringify(example, null, 2));
  return {
    method: method.toUpperCase(),
    url: `${server}${filled}${query && `?${query}`}`,
    headers: [
      ...required('header').map((parameter): [string, string] => [String(parameter.name), value(parameter)]),
      ...(sent ? [['Content-Type', sent.type] as [string, string]] : []),
    ],
    body,
  };
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
  JavaScript: ({ method, url, headers, body }) =>
    `const response = await fetch(${JSON.stringify(url)}, {\n  method: ${JSON.stringify(method)},${
      headers.length > 0
        ? `\n  headers: ${indented(JSON.stringify(Object.fromEntries(headers), null, 2), '  ')},`
        : ''
    }${body === undefined ? '' : `\n  body: JSON.stringify(${indented(body, '  ')}),`}\n});\nconst data = await response.json();`,
  Python: ({ method, url, headers, body }) =>
    `import requests\n\nresponse = requests.request(\n    ${JSON.stringify(method)},\n    ${JSON.stringify(url)},${
      headers.length > 0
        ? `\n    headers=${indented(JSON.stringify(Object.fromEntries(headers), null, 4), '    ')},`
        : ''
    }${body === undefined ? '' : `\n    data=${JSON.stringify(body)},`}\n)\nprint(response.json())`,
};
