// How the values of settings are written: parsers that say what they accept, with units, and the way back to the
// shortest text that means the same. Knows no setting.
import { isIP } from 'node:net';

export const MIB = 1024 * 1024;
export const GIB = 1024 * MIB;

/** kB is a thousand bytes and KiB 1,024, as IEC 80000-13 has it; the largest first. */
const SIZES: readonly { readonly name: string; readonly bytes: number }[] = [
  { name: 'TiB', bytes: 1024 * GIB },
  { name: 'TB', bytes: 1e12 },
  { name: 'GiB', bytes: GIB },
  { name: 'GB', bytes: 1e9 },
  { name: 'MiB', bytes: MIB },
  { name: 'MB', bytes: 1e6 },
  { name: 'KiB', bytes: 1024 },
  { name: 'kB', bytes: 1000 },
  { name: 'B', bytes: 1 },
];
const TIMES: readonly { readonly name: string; readonly ms: number }[] = [
  { name: 'd', ms: 86_400_000 },
  { name: 'h', ms: 3_600_000 },
  { name: 'm', ms: 60_000 },
  { name: 's', ms: 1000 },
  { name: 'ms', ms: 1 },
];

/** `1GiB`, `35kB`; bare where no unit divides it. */
export function bytesText(bytes: number): string {
  const size = bytes === 0 ? undefined : SIZES.find((each) => each.bytes > 1 && bytes % each.bytes === 0);
  return size === undefined ? String(bytes) : `${bytes / size.bytes}${size.name}`;
}

/** `10s`, `1500ms`. */
export function durationText(ms: number): string {
  const time = ms === 0 ? undefined : TIMES.find((each) => ms % each.ms === 0);
  return time === undefined ? String(ms) : `${ms / time.ms}${time.name}`;
}

export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new Error(`a whole number from ${min} to ${max}`);
    return value;
  };
/** @param auto what `auto` stands for on this machine */
export const wholeNumberOrAuto = (min: number, max: number, auto: number): ((text: string) => number) => {
  const number = wholeNumber(min, max);
  return (text) => {
    if (text === 'auto') return auto;
    try {
      return number(text);
    } catch {
      throw new Error(`auto or a whole number from ${min} to ${max}`);
    }
  };
};
export const share = (text: string): number => {
  const value = Number(text);
  if (!/^(\d+\.?\d*|\.\d+)$/.test(text) || value > 1) throw new Error('a share from 0 to 1, such as 0.01');
  return value;
};
export const portOrOff = (value: string): number | 'off' => {
  if (value === 'off') return value;
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65535) throw new Error('off or a whole number from 0 to 65535');
  return port;
};
export const text = (value: string): string => value;
/** Not of several lines, as base64 is wrapped: what would refuse them shows them in its message. */
export const headerValue = (value: string): string => {
  if (!/^[\x20-\x7e]*$/.test(value.trim())) throw new Error('one line of plain characters');
  return value.trim();
};
/** @returns bytes; a bare number is that many */
export const bytes =
  (min: number, max: number) =>
  (value: string): number => {
    const [, number, unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?)\s*([kmgt]?i?b)?$/i.exec(value.trim()) ?? [];
    const size = SIZES.find(({ name }) => name.toLowerCase() === unit.toLowerCase())?.bytes;
    const bytes = Math.round(Number(number) * (unit === '' ? 1 : (size ?? Number.NaN)));
    // Fractions are of a unit: half a byte is a slip.
    if (number === undefined || !(bytes >= min && bytes <= max) || (unit === '' && number.includes('.')))
      throw new Error(`bytes, or such as 35kB or 2GiB, from ${bytesText(min)} to ${bytesText(max)}`);
    return bytes;
  };
/** @returns milliseconds; a bare number is that many */
export const duration =
  (minMs: number, maxMs: number) =>
  (value: string): number => {
    const [, number, unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?)\s*(ms|s|m|min|h|d)?$/.exec(value.trim()) ?? [];
    const factor = TIMES.find(({ name }) => name === unit)?.ms ?? (unit === 'min' ? 60_000 : 1);
    const ms = Math.round(Number(number) * factor);
    if (number === undefined || ms < minMs || ms > maxMs)
      throw new Error(
        `a time such as 500ms, 10s or 1m, from ${durationText(minMs)} to ${durationText(maxMs)}`,
      );
    return ms;
  };
export const basePath = (value: string): string => {
  if (!/^(\/[A-Za-z0-9._~-]+)*\/?$/.test(value)) throw new Error('a path such as /api/v1');
  return value.replace(/\/+$/, '');
};
export const url = (value: string): string => {
  if (value === '') return value;
  if (!URL.canParse(value) || !/^https?:/.test(value)) throw new Error('an http or https URL');
  const { username, password } = new URL(value);
  if (username !== '' || password !== '')
    throw new Error('an http or https URL without a name or a password in it');
  return value.replace(/\/+$/, '');
};
export const renderer = (value: string): string => (value === 'none' ? value : url(value));
export const words = (value: string): readonly string[] =>
  value.split(/[\s,]+/).filter((word) => word !== '');
export const columnNames = (value: string): readonly string[] => {
  const names = words(value);
  if (!names.every((name) => /^[^.]+\.[^.]+$/.test(name)))
    throw new Error('columns as TABLE.COLUMN, such as flights_31337_4.origin');
  return names;
};
export const chainIds = (value: string): readonly string[] => {
  const ids = words(value);
  if (!ids.every((id) => /^\d{1,15}$/.test(id))) throw new Error('chain ids such as 1, 31337');
  return ids;
};
export const oneOf =
  <T extends string>(...choices: readonly T[]) =>
  (value: string): T => {
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw new Error(`one of ${choices.join(', ')}`);
    return found;
  };
const network = (word: string): boolean => {
  const [address = '', bits, ...rest] = word.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
};
export const proxies = (value: string): string => {
  const trimmed = value.trim();
  if (/^\d{1,2}$/.test(trimmed) || words(trimmed).every(network)) return trimmed;
  throw new Error('a count of proxies such as 1, or addresses and networks such as 10.0.0.0/8, ::1');
};

/** A folder, `http(s)://HOST/PATH` or `s3://BUCKET/PREFIX`; '' is none. */
export const storeAddress = (value: string): string => {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(value)?.[1]?.toLowerCase();
  if (scheme === undefined) return value;
  const accepted = 'a folder, http(s)://HOST/PATH or s3://BUCKET/PREFIX';
  const place = URL.canParse(value) ? new URL(value) : undefined;
  if (place === undefined || !['http', 'https', 's3'].includes(scheme)) throw new Error(accepted);
  if (place.username !== '' || place.password !== '')
    throw new Error(`${accepted}, without a name or a password in it`);
  if (place.search !== '' || place.hash !== '') throw new Error(`${accepted}, without ? or #`);
  if (scheme === 's3' && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(place.hostname))
    throw new Error(`${accepted}, and BUCKET the name of one`);
  return value.replace(/\/+$/, '');
};
