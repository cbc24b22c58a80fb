/** A request with example values for everything that it requires. */
export interface Sample {
  method: string;
  url: string;
  headers: [string, string][];
  body: SampleBody | undefined;
}

export type SampleBody =
  | { kind: 'text'; text: string; isJson: boolean }
  | { kind: 'file' }
  | { kind: 'parts'; parts: readonly SamplePart[] };

/** A part of a multipart body. */
export interface SamplePart {
  name: string;
  /** Undefined for a file. */
  text: string | undefined;
}

/** The name of a file in examples. */
const FILE = 'file';

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
const indented = (text: string, by: string) => text.replaceAll('\n', `\n${by}`);
const json = (value: unknown) => JSON.stringify(value);

function cUrl({ method, url, headers, body }: Sample): string {
  return [
    `curl -X ${method} ${quoted(url)}`,
    ...headers.map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    ...curlBody(body).map((option) => `  ${option}`),
  ].join(' \\\n');
}

function curlBody(body: SampleBody | undefined): string[] {
  switch (body?.kind) {
    case 'text':
      return [`-d ${quoted(body.text)}`];
    case 'file':
      return [`--data-binary ${quoted(`@${FILE}`)}`];
    case 'parts':
      return body.parts.map(({ name, text }) => {
        if (text === undefined) return `-F ${quoted(`${name}=@${FILE}`)}`;
        // With -F, these characters have meanings of their own.
        return `${/^[@<"]|;/.test(text) ? '--form-string' : '-F'} ${quoted(`${name}=${text}`)}`;
      });
    default:
      return [];
  }
}

function javaScript({ method, url, headers, body }: Sample): string {
  const parts = body?.kind === 'parts' ? body.parts : [];
  const options = [
    `method: ${json(method)}`,
    ...(headers.length > 0
      ? [`headers: ${indented(JSON.stringify(Object.fromEntries(headers), null, 2), '  ')}`]
      : []),
    ...javaScriptBody(body),
  ];
  return [
    ...(parts.length > 0 ? ['const body = new FormData();'] : []),
    ...parts.map(
      ({ name, text }) => `body.append(${json(name)}, ${text === undefined ? FILE : json(text)});`,
    ),
    `const response = await fetch(${json(url)}, {`,
    ...options.map((option) => `  ${option},`),
    '});',
    'const data = await response.json();',
  ].join('\n');
}

function javaScriptBody(body: SampleBody | undefined): string[] {
  switch (body?.kind) {
    case 'text':
      return [`body: ${body.isJson ? `JSON.stringify(${indented(body.text, '  ')})` : json(body.text)}`];
    case 'file':
      return [`body: ${FILE}`];
    case 'parts':
      return ['body'];
    default:
      return [];
  }
}

function python({ method, url, headers, body }: Sample): string {
  const given = [
    json(method),
    json(url),
    ...(headers.length > 0
      ? [`headers=${indented(JSON.stringify(Object.fromEntries(headers), null, 4), '    ')}`]
      : []),
    ...pythonBody(body),
  ];
  return [
    'import requests\n',
    'response = requests.request(',
    ...given.map((argument) => `    ${argument},`),
    ')',
    'print(response.json())',
  ].join('\n');
}

function pythonBody(body: SampleBody | undefined): string[] {
  const file = `open(${json(FILE)}, "rb")`;
  switch (body?.kind) {
    case 'text':
      return [`data=${json(body.text)}`];
    case 'file':
      return [`data=${file}`];
    case 'parts': {
      const parts = body.parts.map(
        ({ name, text }) =>
          `        (${json(name)}, ${text === undefined ? file : `(None, ${json(text)})`}),`,
      );
      return [['files=[', ...parts, '    ]'].join('\n')];
    }
    default:
      return [];
  }
}

const GO_CHECK = 'if err != nil {\n\treturn err\n}';

function go({ method, url, headers, body }: Sample): string {
  const all =
    body?.kind === 'parts'
      ? [...headers.map(goHeader), 'request.Header.Set("Content-Type", form.FormDataContentType())']
      : headers.map(goHeader);
  return [
    ...goBody(body),
    `request, err := http.NewRequest(${json(method)}, ${json(url)}, ${body ? 'body' : 'nil'})`,
    GO_CHECK,
    ...all,
    'response, err := http.DefaultClient.Do(request)',
    GO_CHECK,
    'defer response.Body.Close()',
  ].join('\n');
}

const goHeader = ([name, value]: [string, string]) => `request.Header.Set(${json(name)}, ${json(value)})`;

function goBody(body: SampleBody | undefined): string[] {
  switch (body?.kind) {
    case 'text':
      return [`body := strings.NewReader(${goText(body.text)})`];
    case 'file':
      return [`body, err := os.Open(${json(FILE)})`, GO_CHECK, 'defer body.Close()'];
    case 'parts':
      return [
        'body := &bytes.Buffer{}',
        'form := multipart.NewWriter(body)',
        ...(body.parts.some(({ text }) => text === undefined)
          ? [`file, err := os.Open(${json(FILE)})`, GO_CHECK, 'defer file.Close()']
          : []),
        ...body.parts.flatMap(goPart),
        'form.Close()',
      ];
    default:
      return [];
  }
}

const goPart = ({ name, text }: SamplePart): string[] =>
  text === undefined
    ? [
        `if part, err := form.CreateFormFile(${json(name)}, ${json(FILE)}); err == nil {\n\tio.Copy(part, file)\n}`,
      ]
    : [`form.WriteField(${json(name)}, ${json(text)})`];

const goText = (text: string) => (text.includes('`') ? json(text) : `\`${text}\``);

/** Writes a request in a language, by the name of the language. */
export const LANGUAGES: Record<string, (sample: Sample) => string> = {
  cURL: cUrl,
  JavaScript: javaScript,
  Python: python,
  Go: go,
};
