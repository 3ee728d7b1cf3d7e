import type { Sync } from '../../lib/adapters/local/database/commits.ts';
import { type TraceSettings, traceSettings } from '../../lib/adapters/portable/otlp-settings.ts';
import { packageVersion } from '../../lib/adapters/portable/package.ts';
import { type VaultSettings, vaultSettings } from '../../lib/adapters/portable/secrets/vault-settings.ts';
import { secretSourcesIn } from '../../lib/domain/credentials/references.ts';
import { quotasIn } from '../../lib/domain/quotas.ts';
import type { AuditSettings, RunLimits, Settings } from '../../lib/ports/settings.ts';
import type { IamSettings, OidcSettings } from '../../lib/ports/tokens.ts';
import { readIam, readOidc } from './access/tokens.ts';
import { type FollowSettings, followedIn } from './follow/settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of `npm start`, from environment variables. */
export interface LocalSettings {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** The folder of all data; undefined: in memory. */
  readonly data: string | undefined;
  readonly apiKey: string | undefined;
  /** The URL under which users reach the service, for links; by default that of the host and port. */
  readonly url?: string | undefined;
  readonly brand: string;
  /** The URL of a running DynamoDB, instead of the database in this process. */
  readonly databaseEndpoint: string | undefined;
  /** The region in requests to that database; `local` by default. */
  readonly databaseRegion?: string | undefined;
  /** The data that a power failure can lose; default `full`: none. */
  readonly sync?: Sync | undefined;
  readonly version: string;
  /** How many days log lines are kept; default 30. */
  readonly retentionDays?: number | undefined;
  /** The maximum `minScale` of a container service; default 3. */
  readonly maxScale?: number | undefined;
  /** How long a run may take where it is started before a machine continues it, milliseconds; default 100, 0: not at all. */
  readonly waits?: Settings['waits'];
  readonly startBudgetMs?: number | undefined;
  /** The limits of the runs of each namespace; none by default. */
  readonly limits?: RunLimits | undefined;
  /** The quotas that differ from their default values. */
  readonly quotas?: Settings['quotas'];
  /** Open connections of one address; 4,000 by default. */
  readonly connectionsPerAddress?: number | undefined;
  /** How the process writes its own log; default `text`. */
  readonly log?: 'text' | 'json' | undefined;
  /** The retention, scope and destination of the audit log. */
  readonly audit?: AuditSettings | undefined;
  /** Where traces are exported; absent: nowhere. */
  readonly traces?: TraceSettings | undefined;
  /** Whether every namespace may reach private addresses and this machine; default false. */
  readonly allowsPrivateAddresses?: boolean | undefined;
  /** The secrets outside the service that namespaces may use; none by default. */
  readonly secretSources?: Settings['secretSources'];
  /** The server of Vault; absent: none. */
  readonly vault?: VaultSettings | undefined;
  /** The sign-in by OpenID Connect beside keys; absent: keys alone. */
  readonly oidc?: OidcSettings | undefined;
  /** The sign-in by IAM beside keys; absent: none. */
  readonly iam?: IamSettings | undefined;
  /** The URL of STS in place of the endpoints of AWS, for emulators. */
  readonly stsEndpoint?: string | undefined;
  /** The namespaces that follow a Git repository; none by default. */
  readonly followed?: readonly FollowSettings[];
  /** The environment variables that references to secrets may name. */
  readonly variables?: Environment;
  /** How podman or docker is used; detected by default. */
  readonly containers?: {
    readonly engine?: string | undefined;
    readonly flags?: readonly string[] | undefined;
    readonly sidecarImage?: string | undefined;
    readonly writableRoots?: readonly string[] | undefined;
  };
}

const BRAND = /^[a-z][a-z0-9]{0,31}$/;

function portOf(text: string | undefined): number {
  const port = text === undefined || text === '' ? 8080 : Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port;
  throw new Error(`PORT is '${text}'; it must be a number from 0 (any free port) to 65535`);
}

function brandOf(text: string | undefined): string {
  const brand = text === undefined || text === '' ? 'service' : text;
  if (BRAND.test(brand)) return brand;
  throw new Error(`WEFT_BRAND is '${text}'; it must be a lower-case word such as service or direktiv`);
}

/** The shortest key: 16 characters cannot be guessed over the network. */
const MIN_KEY_LENGTH = 16;

function apiKeyOf(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (text.length >= MIN_KEY_LENGTH && /^[\x21-\x7e]+$/.test(text)) return text;
  throw new Error(
    `APIKEY must have at least ${MIN_KEY_LENGTH} visible ASCII characters; leave it out to get a random key`,
  );
}

const MAX_DAYS = 3650;

function daysOf(name: string, text: string | undefined, byDefault: number): number {
  const days = text === undefined || text === '' ? byDefault : Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return days;
  throw new Error(`${name} is '${text}'; it must be a number of days from 1 to ${MAX_DAYS}`);
}

const MAX_SCALE = 100;

function scaleOf(text: string | undefined): number {
  const scale = text === undefined || text === '' ? 3 : Number(text);
  if (Number.isInteger(scale) && scale >= 0 && scale <= MAX_SCALE) return scale;
  throw new Error(`WEFT_MAX_SCALE is '${text}'; it must be a number from 0 to ${MAX_SCALE}`);
}

function syncOf(text: string | undefined): Sync {
  if (text === undefined || text === '') return 'full';
  if (text === 'full' || text === 'normal') return text;
  throw new Error(
    `WEFT_SYNC is '${text}'; it must be full (a power failure loses nothing that was acknowledged) or normal (it can ` +
      'lose the last moments, and no request waits for the disk)',
  );
}

const MAX_LIMIT = 1_000_000_000;

function limitOf<Default extends number | undefined>(
  name: string,
  text: string | undefined,
  byDefault: Default,
): number | Default {
  if (text === undefined || text === '') return byDefault;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new Error(`${name} is '${text}'; it must be a number from 1 to ${MAX_LIMIT}`);
}

function urlOf(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text;
  throw new Error(`WEFT_URL is '${text}'; it must be a URL such as https://weft.example.com`);
}

/** Reads the settings. Throws an error with a message for the user if one is invalid. */
export function readSettings(environment: Environment): LocalSettings {
  const { PORT, HOST, WEFT_DATA, APIKEY, WEFT_BRAND, WEFT_RETENTION_DAYS } = environment;
  const { DYNAMODB_ENDPOINT, DYNAMODB_REGION, WEFT_MAX_SCALE, WEFT_SYNC, WEFT_ALLOW_PRIVATE, WEFT_URL } = environment;
  const { CONTAINER_ENGINE, CONTAINER_FLAGS, CONTAINER_SIDECAR_IMAGE, CONTAINER_WRITABLE_ROOTS } = environment;
  return {
    port: portOf(PORT),
    host: HOST || '127.0.0.1',
    data: WEFT_DATA || '.weft',
    apiKey: apiKeyOf(APIKEY),
    url: urlOf(WEFT_URL),
    brand: brandOf(WEFT_BRAND),
    databaseEndpoint: DYNAMODB_ENDPOINT || undefined,
    databaseRegion: DYNAMODB_REGION || undefined,
    sync: syncOf(WEFT_SYNC),
    version: packageVersion(),
    retentionDays: daysOf('WEFT_RETENTION_DAYS', WEFT_RETENTION_DAYS, 30),
    maxScale: scaleOf(WEFT_MAX_SCALE),
    allowsPrivateAddresses: WEFT_ALLOW_PRIVATE === 'true',
    startBudgetMs: inPlaceBudgetOf(environment),
    limits: limitsOf(environment),
    quotas: quotasOf(environment),
    connectionsPerAddress: connectionsOf(environment),
    log: logFormatOf(environment),
    audit: auditOf(environment),
    traces: traceSettings(environment),
    secretSources: secretSourcesOf(environment),
    vault: vaultSettings(environment),
    oidc: oidcOf(environment),
    iam: iamOf(environment),
    followed: followedOf(environment),
    // As the clients of AWS read it.
    stsEndpoint: environment['AWS_ENDPOINT_URL_STS'] || environment['AWS_ENDPOINT_URL'] || undefined,
    variables: environment,
    containers: {
      engine: CONTAINER_ENGINE || undefined,
      flags: CONTAINER_FLAGS?.split(/\s+/).filter((word) => word !== ''),
      sidecarImage: CONTAINER_SIDECAR_IMAGE || undefined,
      writableRoots: CONTAINER_WRITABLE_ROOTS?.split(/[\s,]+/).filter((word) => word !== ''),
    },
  };
}

/** A request that starts a run is answered within this time, milliseconds. */
const MAX_START_BUDGET_MS = 5_000;

function inPlaceBudgetOf(environment: Environment): number | undefined {
  const { WEFT_START_BUDGET_MS } = environment;
  if (WEFT_START_BUDGET_MS === undefined || WEFT_START_BUDGET_MS === '') return undefined;
  const budget = Number(WEFT_START_BUDGET_MS);
  if (Number.isInteger(budget) && budget >= 0 && budget <= MAX_START_BUDGET_MS) return budget;
  throw new Error(
    `WEFT_START_BUDGET_MS is '${WEFT_START_BUDGET_MS}'; it must be a number of milliseconds from 0 (a machine begins each run) to ` +
      `${MAX_START_BUDGET_MS}`,
  );
}

function limitsOf(environment: Environment): RunLimits {
  const { WEFT_MAX_ACTIVE_RUNS, WEFT_MAX_STARTS_PER_SECOND, WEFT_MAX_DESCENDANTS } = environment;
  return {
    activeRuns: limitOf('WEFT_MAX_ACTIVE_RUNS', WEFT_MAX_ACTIVE_RUNS, 100_000),
    startsPerSecond: limitOf('WEFT_MAX_STARTS_PER_SECOND', WEFT_MAX_STARTS_PER_SECOND, undefined),
    descendants: limitOf('WEFT_MAX_DESCENDANTS', WEFT_MAX_DESCENDANTS, 100_000),
  };
}

/** Reads a setting by a function whose errors follow its name. */
function readBy<T>(name: string, read: (text: string) => T, text: string | undefined): T {
  try {
    return read(text ?? '');
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}

function quotasOf(environment: Environment): Settings['quotas'] {
  const { WEFT_QUOTAS } = environment;
  return readBy('WEFT_QUOTAS', quotasIn, WEFT_QUOTAS);
}

function secretSourcesOf(environment: Environment): Settings['secretSources'] {
  const { WEFT_SECRET_SOURCES } = environment;
  return readBy('WEFT_SECRET_SOURCES', secretSourcesIn, WEFT_SECRET_SOURCES);
}

function followedOf(environment: Environment): readonly FollowSettings[] {
  const { WEFT_FOLLOW } = environment;
  return readBy('WEFT_FOLLOW', followedIn, WEFT_FOLLOW);
}

function oidcOf(environment: Environment): OidcSettings | undefined {
  const { WEFT_OIDC_ISSUER, WEFT_OIDC_AUDIENCE, WEFT_OIDC_GROUPS } = environment;
  const { WEFT_OIDC_GROUPS_CLAIM, WEFT_OIDC_NAME_CLAIM, WEFT_OIDC_CLIENT } = environment;
  return readOidc({
    ...{ issuer: WEFT_OIDC_ISSUER, audience: WEFT_OIDC_AUDIENCE, groups: WEFT_OIDC_GROUPS, client: WEFT_OIDC_CLIENT },
    ...{ groupsClaim: WEFT_OIDC_GROUPS_CLAIM, nameClaim: WEFT_OIDC_NAME_CLAIM },
  });
}

function iamOf(environment: Environment): IamSettings | undefined {
  const { WEFT_IAM_PRINCIPALS, WEFT_IAM_AUDIENCE } = environment;
  return readIam(WEFT_IAM_PRINCIPALS, WEFT_IAM_AUDIENCE, urlOf(environment['WEFT_URL']));
}

function connectionsOf(environment: Environment): number {
  const { WEFT_MAX_CONNECTIONS } = environment;
  return limitOf('WEFT_MAX_CONNECTIONS', WEFT_MAX_CONNECTIONS, 4_000);
}

function logFormatOf(environment: Environment): LocalSettings['log'] {
  const { WEFT_LOG } = environment;
  if (WEFT_LOG === undefined || WEFT_LOG === '') return 'text';
  if (WEFT_LOG === 'text' || WEFT_LOG === 'json') return WEFT_LOG;
  throw new Error(`WEFT_LOG is '${WEFT_LOG}'; it must be text or json`);
}

function auditScopeOf(text: string | undefined): AuditSettings['scope'] {
  if (text === undefined || text === '') return 'changes';
  if (text === 'all' || text === 'changes') return text;
  throw new Error(
    `WEFT_AUDIT is '${text}'; it must be all (every request that can change something) or changes (without starts of ` +
      'runs and sent events)',
  );
}

function auditOf(environment: Environment): AuditSettings {
  const { WEFT_AUDIT, WEFT_AUDIT_DAYS, WEFT_AUDIT_NAMESPACE } = environment;
  return {
    scope: auditScopeOf(WEFT_AUDIT),
    retentionDays: daysOf('WEFT_AUDIT_DAYS', WEFT_AUDIT_DAYS, 365),
    namespace: WEFT_AUDIT_NAMESPACE || undefined,
  };
}
