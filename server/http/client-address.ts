import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

const { IPv4, IPv6 } = ipaddr;

/** What some proxies write: an address with the port of the client. */
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+(?:\.\d+){3}):\d+)$/;

/**
 * The network address of a client, in the form that counts for limits and is recorded: without a port, with which each
 * connection would be another client. Without a valid address, it is that of whoever connects, such as the proxy.
 */
export function clientAddressOf({ ip, socket }: Pick<FastifyRequest, 'ip' | 'socket'>): string {
  const [, inBrackets, beforePort] = WITH_PORT.exec(ip) ?? [];
  const address = inBrackets ?? beforePort ?? ip;
  if (IPv4.isValidFourPartDecimal(address)) return address;
  return IPv6.isValid(address) ? ipaddr.process(address).toString() : (socket.remoteAddress ?? '');
}
