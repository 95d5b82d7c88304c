// Which client a request comes from: the connection's peer, or what trusted proxies say in X-Forwarded-For.
// Trusts nobody unless told to. Addresses only: rates are bucket.ts's.
import { BlockList, isIP } from 'node:net';

/** @param forwarded the X-Forwarded-For header, all of its lines joined by commas */
export type ClientAddress = (peer: string | undefined, forwarded: string | undefined) => string;

/** The client whose peer is not known: its socket is gone already. */
const UNKNOWN = 'unknown';

/**
 * @param trust `''` nobody; a count of proxies; or their addresses and networks, separated by commas or spaces
 *   (cli/config.ts has checked it)
 */
export function createClientAddress(trust: string): ClientAddress {
  const plain = (peer: string | undefined): string => (peer === undefined ? UNKNOWN : unmap(peer));
  if (trust === '' || trust === '0') return plain;
  const trusted = /^\d+$/.test(trust) ? undefined : readNetworks(trust);
  const count = trusted === undefined ? Number(trust) : Number.POSITIVE_INFINITY;
  return (peer, forwarded) => {
    let client = plain(peer);
    if (forwarded === undefined) return client;
    const hops = forwarded.split(',');
    // From the right: each hop was written by the one after it, so it is worth what that one is worth.
    for (let proxies = 0, at = hops.length - 1; at >= 0 && proxies < count; proxies++, at--) {
      if (trusted !== undefined && !isTrusted(trusted, client)) break;
      const hop = readHop(hops[at] ?? '');
      // Whoever stands left of a malformed hop cannot be known: the last known one pays.
      if (hop === undefined) break;
      client = hop;
    }
    return client;
  };
}

function readNetworks(text: string): BlockList {
  const list = new BlockList();
  for (const word of text.split(/[\s,]+/).filter((part) => part !== '')) {
    const [address = '', bits] = word.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function isTrusted(list: BlockList, address: string): boolean {
  const version = isIP(address);
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

/** `1.2.3.4`, `1.2.3.4:5678`, `2001:db8::1`, `[2001:db8::1]:5678`; undefined where it is none of them. */
function readHop(text: string): string | undefined {
  let hop = text.trim();
  if (hop.startsWith('[')) hop = /^\[([^\]]*)\](?::\d+)?$/.exec(hop)?.[1] ?? '';
  else if (hop.includes('.') && hop.indexOf(':') === hop.lastIndexOf(':')) hop = hop.split(':')[0] ?? '';
  return isIP(hop) === 0 ? undefined : unmap(hop);
}

/** An IPv4 client of a dual-stack socket is the same client as one of an IPv4 socket. */
function unmap(address: string): string {
  if (!address.includes(':')) return address;
  const mapped = /^(?:0*:)*:?ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  return mapped !== undefined && isIP(mapped) === 4 ? mapped : address;
}

/** Whose bucket an address draws from: itself, but all of an IPv6 /64, which is one customer's. */
export function bucketKey(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  // `::` stands for as many zeros as are missing; only the first four groups matter.
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const rightGroups = right.length + (right.at(-1)?.includes('.') ? 1 : 0);
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - rightGroups);
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right].slice(0, 4);
  return `${groups.map((group) => group.replace(/^0+(?=.)/, '')).join(':')}::/64`;
}
