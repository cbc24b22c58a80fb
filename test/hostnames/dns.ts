import type { Dns } from '../../routers/base/outbound-ports.ts';

/** The records of a made-up DNS: names with aliases, addresses and texts. */
export interface Zone {
  aliases?: Record<string, string>;
  addresses?: Record<string, string[]>;
  texts?: Record<string, string[]>;
}

export const fake = ({ aliases = {}, addresses = {}, texts = {} }: Zone): Dns => ({
  aliases: async (name) => [aliases[name] ?? []].flat(),
  addresses: async (name) => addresses[name] ?? [],
  texts: async (name) => texts[name] ?? [],
});

const timeout = (query: string) =>
  Promise.reject(Object.assign(new Error(`${query} ETIMEOUT`), { code: 'ETIMEOUT' }));

/** One that does not answer. */
export const failing: Dns = {
  aliases: () => timeout('queryCname'),
  addresses: () => timeout('queryA'),
  texts: () => timeout('queryTxt'),
};

/** A DNS in which a hostname leads to the service, and names these organizations. */
export const naming = (hostname: string, ...organizations: string[]): Dns =>
  fake({ aliases: { [hostname]: 'docs.test' }, texts: { [`_colophon.${hostname}`]: organizations } });
