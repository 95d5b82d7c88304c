// What the address of Trino needs besides itself, checked where a process is started that will use it later.
import { OperatorError } from '../base/errors.ts';
import type { PasswordVariable } from '../base/passwords.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** @throws OperatorError where there is a password and a network would carry it in clear */
export function checkTrinoPassword(
  url: string,
  variable: PasswordVariable,
  env: Readonly<Record<string, string | undefined>>,
): void {
  if (url === '' || (env[variable] ?? '') === '') return;
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return;
  throw new OperatorError(
    `${variable} would be sent to ${hostname} in clear: --trino must be an https address, or one of this machine`,
  );
}
