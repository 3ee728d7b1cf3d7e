import { readFileSync } from 'node:fs';

/** What `npm start` can be told, by environment. */
export interface LocalSettings {
  /** 0: any that is free. */
  readonly port: number;
  readonly host: string;
  /** The folder of all that is kept; undefined: in memory. */
  readonly data: string | undefined;
  readonly apiKey: string | undefined;
  readonly brand: string;
  /** A DynamoDB that already runs, in place of the embedded database. */
  readonly databaseEndpoint: string | undefined;
  readonly version: string;
}

const BRAND = /^[a-z][a-z0-9]{0,31}$/;

export function versionOf(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return `v${(JSON.parse(text) as { version: string }).version}`;
}

function portOf(text: string | undefined): number {
  const port = text === undefined || text === '' ? 8080 : Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  throw new Error(`PORT is '${text}'; it must be a number from 0 (any that is free) to 65535`);
}

function brandOf(text: string | undefined): string {
  const brand = text === undefined || text === '' ? 'service' : text;
  if (BRAND.test(brand)) return brand;
  throw new Error(`WEFT_BRAND is '${text}'; it must be a lower-case word such as service or direktiv`);
}

/** Reads the settings. Throws with a text for the user when one cannot be meant so. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): LocalSettings {
  const { PORT, HOST, WEFT_DATA, APIKEY, WEFT_BRAND, DYNAMODB_ENDPOINT } = environment;
  return {
    port: portOf(PORT),
    host: HOST || '127.0.0.1',
    data: WEFT_DATA || '.weft',
    apiKey: APIKEY || undefined,
    brand: brandOf(WEFT_BRAND),
    databaseEndpoint: DYNAMODB_ENDPOINT || undefined,
    version: versionOf(),
  };
}
