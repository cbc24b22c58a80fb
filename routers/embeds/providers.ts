/** The sites whose content is shown in frames within pages, as they offer it by oEmbed. */

import { decodeEntities, encodeAttribute } from '../engine/markdown/html/html.ts';

export interface Provider {
  /** The hostnames of addresses. */
  hosts: readonly string[];
  /** The URL of the oEmbed endpoint that describes them. */
  endpoint: string;
  /** The hostnames of the frames that show them. */
  frames: readonly string[];
}

const PROVIDERS: readonly Provider[] = [
  {
    hosts: ['www.youtube.com', 'youtube.com', 'm.youtube.com', 'youtu.be'],
    endpoint: 'https://www.youtube.com/oembed',
    frames: ['www.youtube.com', 'www.youtube-nocookie.com'],
  },
  {
    hosts: ['vimeo.com', 'www.vimeo.com', 'player.vimeo.com'],
    endpoint: 'https://vimeo.com/api/oembed.json',
    frames: ['player.vimeo.com'],
  },
  {
    hosts: ['www.loom.com', 'loom.com'],
    endpoint: 'https://www.loom.com/v1/oembed',
    frames: ['www.loom.com'],
  },
  {
    hosts: ['www.figma.com', 'figma.com'],
    endpoint: 'https://www.figma.com/api/oembed',
    frames: ['www.figma.com', 'embed.figma.com'],
  },
  { hosts: ['codepen.io'], endpoint: 'https://codepen.io/api/oembed', frames: ['codepen.io'] },
  { hosts: ['codesandbox.io'], endpoint: 'https://codesandbox.io/oembed', frames: ['codesandbox.io'] },
  {
    hosts: ['open.spotify.com'],
    endpoint: 'https://open.spotify.com/oembed',
    frames: ['open.spotify.com'],
  },
  {
    hosts: ['soundcloud.com', 'www.soundcloud.com'],
    endpoint: 'https://soundcloud.com/oembed',
    frames: ['w.soundcloud.com'],
  },
];

/** The provider of an address, if it has one. */
export const providerOf = (address: string): Provider | undefined => {
  const host = URL.parse(address)?.hostname ?? '';
  return PROVIDERS.find(({ hosts }) => hosts.includes(host));
};

/** The URL at which a provider describes an address. */
export function descriptionUrl({ endpoint }: Provider, address: string): string {
  const url = new URL(endpoint);
  url.searchParams.set('format', 'json');
  url.searchParams.set('url', address);
  return url.href;
}

const FRAME = /<iframe\s[^<>]*?\bsrc\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)')/i;

/** Width and height if a provider gives none. */
const DEFAULT_RATIO = [16, 9] as const;

/**
 * The HTML of a frame that shows what a provider describes. Of the HTML that the provider offers, only the URL of the frame
 * is used; undefined if it has no frame on a host of the provider.
 */
export function renderFrame(
  { frames }: Provider,
  { html, title, width, height }: { html: string; title: string; width?: unknown; height?: unknown },
): string | undefined {
  const found = FRAME.exec(html);
  const source = URL.parse(decodeEntities(found?.[1] ?? found?.[2] ?? '').replace(/^\/\//, 'https://'));
  // guard: embed-frame-providers
  if (source?.protocol !== 'https:' || source.port !== '' || !frames.includes(source.hostname))
    return undefined;
  const [across, down] = isSize(width) && isSize(height) ? [width, height] : DEFAULT_RATIO;
  return (
    `<iframe src="${encodeAttribute(source.href)}" title="${encodeAttribute(title)}" loading="lazy" allowfullscreen ` +
    `allow="fullscreen; encrypted-media; picture-in-picture; clipboard-write" ` +
    `referrerpolicy="strict-origin-when-cross-origin" ` +
    `style="width:100%;aspect-ratio:${across}/${down};border:0"></iframe>`
  );
}

const isSize = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= 10_000;

/** The hosts of all frames. */
export const FRAME_HOSTS: readonly string[] = PROVIDERS.flatMap(({ frames }) => frames);
