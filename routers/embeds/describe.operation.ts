import type { Outbound } from '../base/outbound-ports.ts';
import { normalizeText, type PageHead, readPageHead } from './page-head.ts';
import { descriptionUrl, type Provider, providerOf, renderFrame } from './providers.ts';

/** How a provider or a page describes an address. */
export interface AddressDescription extends PageHead {
  html?: string | undefined;
}

/** Limits for one address: bytes of a provider's description and of a page, and milliseconds in total. */
const LIMITS = { description: 64 * 1024, page: 256 * 1024, time: 8000 };

/**
 * Describes an address as its provider does, or by the start of its page. Never throws because of the other server; undefined
 * if there is no description.
 */
export async function describeAddress(
  outbound: Pick<Outbound, 'get'>,
  address: string,
): Promise<AddressDescription | undefined> {
  const signal = AbortSignal.timeout(LIMITS.time);
  const provider = providerOf(address);
  const described = provider && (await fetchFromProvider(outbound, provider, address, signal));
  return described ?? (await readPage(outbound, address, signal));
}

async function fetchFromProvider(
  outbound: Pick<Outbound, 'get'>,
  provider: Provider,
  address: string,
  signal: AbortSignal,
): Promise<AddressDescription | undefined> {
  const url = descriptionUrl(provider, address);
  const response = await outbound.get(url, {
    maxBytes: LIMITS.description,
    accept: 'application/json',
    signal,
  });
  if ('problem' in response) return undefined;
  const given = parseJsonObject(response.bytes);
  const title = normalizeText(given?.title);
  if (!given || title === undefined) return undefined;
  const { html, width, height, provider_name: site } = given;
  return {
    title,
    site: normalizeText(site),
    html: typeof html === 'string' ? renderFrame(provider, { html, title, width, height }) : undefined,
  };
}

function parseJsonObject(bytes: Uint8Array): Record<string, unknown> | undefined {
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
): Promise<AddressDescription | undefined> {
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
