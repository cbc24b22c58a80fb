import type { Outbound } from '../base/outbound-ports.ts';
import { type PageHead, readPageHead, textOf } from './page-head.ts';
import { descriptionUrl, frameOf, type Provider, providerOf } from './providers.ts';

/** What an address says of itself. */
export interface Description extends PageHead {
  html?: string | undefined;
}

/** What may be read of one address: bytes of a provider's description and of a page, and milliseconds in all. */
const LIMITS = { description: 64 * 1024, page: 256 * 1024, time: 8000 };

/** Asks a provider or reads the start of a page. Never throws because of the other server; undefined if it says nothing. */
export async function describeAddress(
  outbound: Pick<Outbound, 'get'>,
  address: string,
): Promise<Description | undefined> {
  const signal = AbortSignal.timeout(LIMITS.time);
  const provider = providerOf(address);
  const described = provider && (await askProvider(outbound, provider, address, signal));
  return described ?? (await readPage(outbound, address, signal));
}

async function askProvider(
  outbound: Pick<Outbound, 'get'>,
  provider: Provider,
  address: string,
  signal: AbortSignal,
): Promise<Description | undefined> {
  const url = descriptionUrl(provider, address);
  const response = await outbound.get(url, {
    maxBytes: LIMITS.description,
    accept: 'application/json',
    signal,
  });
  if ('problem' in response) return undefined;
  const given = parsed(response.bytes);
  const title = textOf(given?.title);
  if (!given || title === undefined) return undefined;
  const { html, width, height, provider_name: site } = given;
  return {
    title,
    site: textOf(site),
    html: typeof html === 'string' ? frameOf(provider, { html, title, width, height }) : undefined,
  };
}

function parsed(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function readPage(
  outbound: Pick<Outbound, 'get'>,
  address: string,
  signal: AbortSignal,
): Promise<Description | undefined> {
  const response = await outbound.get(address, {
    maxBytes: LIMITS.page,
    truncate: true,
    accept: 'text/html',
    signal,
  });
  if ('problem' in response || !/^(?:text\/html|application\/xhtml)/.test(response.contentType ?? ''))
    return undefined;
  const head = readPageHead(new TextDecoder().decode(response.bytes), address);
  return head.title === undefined && head.icon === undefined ? undefined : head;
}
