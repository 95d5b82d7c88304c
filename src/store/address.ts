// What a store's address needs besides itself, checked where a process is started that will use it later.
import { OperatorError } from '../base/errors.ts';

export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
  readonly region: string;
  /** Buckets are a part of its path; undefined: Amazon's own. */
  readonly endpoint: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function isS3(address: string): boolean {
  return /^s3:\/\//i.test(address);
}

export function isHttp(address: string): boolean {
  return /^https?:\/\//i.test(address);
}

/** By the names that AWS' own tools use. @throws OperatorError */
export function readS3Credentials(env: Environment): S3Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = env;
  if (accessKeyId === '' || secretAccessKey === '')
    throw new OperatorError('s3:// needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment');
  const endpoint = env['AWS_ENDPOINT_URL_S3'] || undefined;
  if (endpoint !== undefined && !(URL.canParse(endpoint) && isHttp(endpoint)))
    throw new OperatorError('AWS_ENDPOINT_URL_S3 must be an http or https URL');
  return {
    ...{ accessKeyId, secretAccessKey, endpoint: endpoint?.replace(/\/+$/, '') },
    sessionToken: env['AWS_SESSION_TOKEN'] || undefined,
    region: env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || 'us-east-1',
  };
}

/** @throws OperatorError with what is missing */
export function checkStoreAddress(address: string, env: Environment): void {
  if (isS3(address)) readS3Credentials(env);
}
