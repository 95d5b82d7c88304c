// The real client, npm @tableland/sdk, by the few calls that tests make. Its own types are not used: they lead
// the compiler into TypeScript sources of a dependency that do not pass this project's flags.

export interface Table {
  readonly columns: readonly { readonly name: string }[];
  readonly rows: readonly (readonly unknown[])[];
}
export interface QueryParams {
  readonly statement: string;
  readonly format?: 'objects' | 'table';
  readonly extract?: boolean;
  readonly unwrap?: boolean;
}
export interface Validator {
  health(): Promise<boolean>;
  version(): Promise<Readonly<Record<string, string>>>;
  getTableById(params: { chainId: number; tableId: string }): Promise<unknown>;
  queryByStatement(params: QueryParams): Promise<unknown>;
  receiptByTransactionHash(params: { chainId: number; transactionHash: string }): Promise<unknown>;
  pollForReceiptByTransactionHash(params: { chainId: number; transactionHash: string }): Promise<unknown>;
}
export interface Statement {
  bind(...values: readonly unknown[]): Statement;
  all(): Promise<{ readonly results: readonly unknown[] }>;
  first(column?: string): Promise<unknown>;
  raw(): Promise<unknown>;
}
export interface Database {
  prepare(sql: string): Statement;
}
interface Sdk {
  readonly Validator: new (config: { baseUrl: string }) => Validator;
  readonly Database: new (config: { baseUrl: string }) => Database;
}

// A name that the compiler cannot follow.
const PACKAGE: string = '@tableland/sdk';
const { Validator, Database } = (await import(PACKAGE)) as Sdk;

export function sdkAt(baseUrl: string): { readonly validator: Validator; readonly database: Database } {
  return { validator: new Validator({ baseUrl }), database: new Database({ baseUrl }) };
}
