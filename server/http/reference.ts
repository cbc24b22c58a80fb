import { once } from 'node:events';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { brotliCompress, constants } from 'node:zlib';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { VERSION } from '../version.ts';

/** Nothing may be loaded from other hosts. The reference sends its test requests to the URL in its document. */
const policy = (publicUrl: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    `connect-src 'self' ${new URL(publicUrl).origin}`,
    "worker-src 'self' blob:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ');

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f4e46"/>' +
  '<path d="M21.5 11.2a7 7 0 1 0 0 9.6" fill="none" stroke="#f6f3ea" stroke-width="3.4" stroke-linecap="round"/></svg>';

const HEAD = `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="/icon.svg" type="image/svg+xml">`;

const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
<head>
${HEAD}
<title>Colophon API reference</title>
<style>body { margin: 0; } noscript { display: block; padding: 2rem; font: 1rem/1.5 system-ui, sans-serif; }</style>
</head>
<body>
<noscript>The reference needs JavaScript. The <a href="/openapi.json">OpenAPI document</a> has the same content.</noscript>
<div id="reference"></div>
<script src="/reference/scalar.js"></script>
<script src="/reference/start.js"></script>
</body>
</html>
`;

/** Colours in place of those of the reference that are hard to read on its backgrounds. */
const COLORS = `.light-mode { --scalar-color-2: #5c5c5c; --scalar-color-3: #636363; --scalar-color-red: #b80f1a; --scalar-color-green: #0a6b42; --scalar-color-blue: #005f9e; --scalar-color-yellow: #7a5600; --scalar-color-orange: #a63d00; --scalar-color-accent: #0062a3; }
.dark-mode { --scalar-color-3: #9c9c9c; --scalar-color-red: #ff7b72; }`;

/** All requests to hosts of the reference's vendor are disabled. */
const SETTINGS = {
  url: '/openapi.json',
  authentication: { preferredSecurityScheme: 'bearer' },
  operationTitleSource: 'summary',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'json',
  customCss: COLORS,
};

const START_SCRIPT = `Scalar.createApiReference('#reference', ${JSON.stringify(SETTINGS)});\n`;

/** Serves the API reference, and its OpenAPI document. */
export function mountReference(app: FastifyInstance, publicUrl: () => string): void {
  app.get('/reference', (_request, reply) =>
    reply
      .headers({ 'content-security-policy': policy(publicUrl()), 'cache-control': 'no-cache' })
      .type('text/html')
      .send(REFERENCE_PAGE),
  );
  app.get('/icon.svg', (_request, reply) => cacheable(reply).type('image/svg+xml').send(ICON));
  app.get('/reference/start.js', (_request, reply) => reply.type('text/javascript').send(START_SCRIPT));

  let script: ReturnType<typeof referenceScript> | undefined;
  app.get('/reference/scalar.js', async (request, reply) => {
    script ??= referenceScript();
    const { plain, compressed } = await script;
    cacheable(reply).type('text/javascript').header('vary', 'accept-encoding');
    if (!request.headers['accept-encoding']?.includes('br')) return reply.send(plain);
    return reply.header('content-encoding', 'br').send(compressed);
  });

  let document: { url: string; text: Promise<string> } | undefined;
  const sendDocument = async (_request: unknown, reply: FastifyReply) => {
    const url = publicUrl();
    // A port chosen by the system is known only after listening.
    if (document?.url !== url) document = { url, text: openApiText(url) };
    const current = document;
    const text = await current.text.catch((error: unknown) => {
      if (document === current) document = undefined;
      throw error;
    });
    return reply.header('cache-control', 'no-cache').type('application/json').send(text);
  };
  app.get('/openapi.json', sendDocument);
  app.get('/v1/openapi.json', sendDocument);
  app.get('/v1', async (_request, reply) => {
    const base = publicUrl();
    reply.header('cache-control', 'no-cache');
    return {
      object: 'api',
      version: VERSION,
      urls: { location: `${base}/v1`, openapi: `${base}/v1/openapi.json`, reference: `${base}/reference` },
    };
  });
}

const cacheable = (reply: FastifyReply) => reply.header('cache-control', 'public, max-age=3600');

/** The document, generated in a thread when it is first requested, so that other requests do not wait for it. */
async function openApiText(publicUrl: string): Promise<string> {
  const worker = new Worker(new URL('./openapi-worker.ts', import.meta.url), { workerData: publicUrl });
  const ended = new AbortController();
  worker.once('exit', () => ended.abort());
  const [text] = await once(worker, 'message', { signal: ended.signal });
  return text as string;
}

/**
 * The script of the reference. Its package has it inside a Fastify plugin, as megabytes of text that are needed only if
 * somebody opens the reference: it is loaded on first request, and cached compressed.
 */
async function referenceScript(): Promise<{ plain: Buffer; compressed: Buffer }> {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const host = fastify();
  await host.register(scalar, { routePrefix: '/reference', configuration: { url: '/openapi.json' } });
  const { rawPayload: plain } = await host.inject('/reference/js/scalar.js');
  await host.close();
  const params = { [constants.BROTLI_PARAM_QUALITY]: 7 };
  return { plain, compressed: await promisify(brotliCompress)(plain, { params }) };
}
