import { Token } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { z } from 'zod/mini';
import { TRACE_VARIABLES, traceSettings } from '../../lib/adapters/portable/otlp-settings.ts';
import { secretSourcesIn } from '../../lib/domain/credentials/references.ts';
import { quotasIn } from '../../lib/domain/quotas.ts';
import { iam } from './iam.ts';
import { POLICY_ARN, VPC, VPC_ENDPOINTS, WEB_ACL_ARN } from './network.ts';
import { oidc } from './oidc.ts';
import { ROLLOUTS, type Settings } from './settings.ts';

/** Settings before validation: values, or their texts. */
export type RawSettings = Readonly<Record<string, unknown>>;

/** How a setting is read. `read` throws an Error whose message follows the name and the value of the setting. */
interface Reader {
  readonly fallback?: unknown;
  readonly read: (value: unknown) => unknown;
}

/** The name of the bucket is the most restricted of all names: 63 lower-case characters together with its suffix. */
const NAME = /^(?!aws|ssm)[a-z](-?[a-z0-9]){0,23}$/;
const MAX_NAME_LENGTH = 24;
/** The suffix of the data stack of an installation. */
const DATA_SUFFIX = /-data$/;
// EventBridge rejects event sources that begin with `aws.`.
const BRAND = /^(?!aws$)[a-z][a-z0-9]{0,23}$/;
const ARN = /^arn:/;
const KEY_ARN = /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/;
const CERTIFICATE_ARN = /^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/;
const TOPIC_ARN = /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]{1,256}$/;
const MAIL_ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const DOMAIN = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const PARAMETER = /^(\/[\w.-]+){1,15}$/;
const NAMESPACE = /^[a-z]([a-z0-9_.-]{0,62}[a-z0-9])?$/;
const DAYS = Object.values(RetentionDays).filter((value) => typeof value === 'number');
const MAX_DAYS = 3650;

function fail(text: string): never {
  throw new Error(text);
}

/** The most similar valid name, if there is one. */
function suggestedName(text: string): string | undefined {
  const parts = text.toLowerCase().split(/[^a-z0-9]+/);
  const name = parts
    .filter((part) => part !== '')
    .join('-')
    .slice(0, MAX_NAME_LENGTH)
    .replace(/-$|-data$/, '');
  return NAME.test(name) ? name : undefined;
}

function name(value: unknown): string {
  const text = String(value);
  if (NAME.test(text) && text.length <= MAX_NAME_LENGTH && !DATA_SUFFIX.test(text)) return text;
  const near = suggestedName(text);
  return fail(
    `is no valid name; use 1 to ${MAX_NAME_LENGTH} of a-z and 0-9 with single hyphens between them, beginning with a letter, not with aws or ssm, and not ending with -data${near === undefined ? '' : `, for example ${near}`}`,
  );
}

const matching =
  (pattern: RegExp, wanted: string) =>
  (value: unknown): string => {
    const text = String(value);
    return Token.isUnresolved(value) || pattern.test(text) ? text : fail(`is not ${wanted}`);
  };

const oneOf =
  (names: readonly string[]) =>
  (value: unknown): string =>
    names.includes(String(value)) ? String(value) : fail(`is not one of ${names.join(', ')}`);

function flag(value: unknown): boolean {
  const text = String(value);
  return text === 'true' || text === 'false' ? text === 'true' : fail('is neither true nor false');
}

function keyOrFlag(value: unknown): boolean | string {
  const isKey = Token.isUnresolved(value) || KEY_ARN.test(String(value));
  if (isKey) return String(value);
  return ['true', 'false'].includes(String(value))
    ? String(value) === 'true'
    : fail('is neither true nor false nor the ARN of a key: arn:aws:kms:REGION:ACCOUNT:key/ID');
}

function logDays(value: unknown): RetentionDays {
  const days = Number(value);
  return DAYS.includes(days) ? days : fail(`is not one of ${DAYS.join(', ')}`);
}

function days(value: unknown): number {
  const count = Number(value);
  const isOne = /^\d+$/.test(String(value)) && count >= 1 && count <= MAX_DAYS;
  return isOne ? count : fail(`is no number of days from 1 to ${MAX_DAYS}`);
}

const MAX_REQUESTS_PER_SECOND = 100_000;
const MAX_COUNT = 1_000_000_000;

/** A request that starts a run is answered within this time, milliseconds. */
const MAX_START_BUDGET_MS = 5_000;

const count =
  (most: number, least = 1) =>
  (value: unknown): number => {
    const number = Number(value);
    return /^\d+$/.test(String(value)) && number >= least && number <= most
      ? number
      : fail(`is no number from ${least} to ${most}`);
  };

const CONCURRENCY = z.record(z.string(), z.int().check(z.minimum(1), z.maximum(100_000)));

const patterns = z.array(z.union([z.string(), z.record(z.string(), z.unknown())])).check(z.minLength(1));
const arn = z.string().check(z.refine((text) => Token.isUnresolved(text) || ARN.test(text), 'is no ARN'));
const LAMBDA = /^(arn:aws[\w-]*:lambda:[\w-]+:\d{12}:function:[\w-]{1,64}(:(\$LATEST|[\w-]{1,128}))?|[\w-]{1,64})$/;
const LAMBDAS = z.array(
  z
    .string()
    .check(
      z.refine(
        (text) => Token.isUnresolved(text) || LAMBDA.test(text),
        'is neither the name nor the ARN of a Lambda function: arn:aws:lambda:REGION:ACCOUNT:function:NAME',
      ),
    ),
);
const VAULT = z.strictObject({
  address: z.string().check(z.regex(/^https?:\/\/[^\s/]+/)),
  login: z.string().check(z.regex(PARAMETER)),
  namespace: z.optional(z.string()),
});
const INBOUND = z.array(
  z.strictObject({
    namespace: z.string(),
    bus: z.optional(z.string()),
    pattern: z.record(z.string(), z.unknown()),
  }),
);
const OUTBOUND = z.array(
  z.strictObject({
    namespaces: z.optional(patterns),
    types: z.optional(patterns),
    target: arn,
    role: z.optional(arn),
  }),
);
const MAX_TAGS = 50;
const MAX_TAGS_LENGTH = 1000;
const MAX_OTEL_LENGTH = 1000;
const TAGS = z
  .record(z.string().check(z.regex(/^(?!aws:)[\p{L}\p{Z}\p{N}_.:/=+\-@]{1,128}$/u)), z.string().check(z.maxLength(256)))
  .check(z.refine((tags) => Object.keys(tags).length <= MAX_TAGS, `more than ${MAX_TAGS}`))
  // Functions receive the tags of the resources that they create, and the environment of a function is limited to 4 KB.
  .check(z.refine((tags) => JSON.stringify(tags).length <= MAX_TAGS_LENGTH, `more than ${MAX_TAGS_LENGTH} characters`));

const OTEL = z
  .partialRecord(z.enum(TRACE_VARIABLES), z.string())
  .check(
    z.refine((given) => JSON.stringify(given).length <= MAX_OTEL_LENGTH, `more than ${MAX_OTEL_LENGTH} characters`),
  );

/** Variables for the export of traces, checked as the functions read them. */
function otel(value: unknown): unknown {
  const variables = shaped(OTEL, 'table of variables')(value) as Readonly<Record<string, string>>;
  if (Object.values(variables).some((text) => Token.isUnresolved(text))) return variables;
  try {
    traceSettings(variables);
  } catch (error) {
    fail(`cannot be used: ${(error as Error).message}`);
  }
  return variables;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fail('is no JSON');
  }
}

/** Quotas as text, or as a table from cdk.json or a property. */
function quotas(value: unknown): unknown {
  const isTable = typeof value === 'object' && value !== null;
  const text = isTable
    ? Object.entries(value)
        .map(([name, most]) => `${name}=${most}`)
        .join(' ')
    : String(value);
  try {
    return quotasIn(text);
  } catch (error) {
    return fail(`cannot be used: ${(error as Error).message}`);
  }
}

/** Functions receive the sources in their environment, which is limited to 4 KB. */
const MAX_SOURCES_LENGTH = 1500;

/** Sources of secrets as text, or as a list of such texts. */
function secretSources(value: unknown): string[] {
  const text = Array.isArray(value) ? value.join(' ') : String(value);
  try {
    const sources = secretSourcesIn(text);
    if (sources.some(({ kind }) => kind === 'env')) return fail('has env:, which works on one machine alone');
    if (JSON.stringify(sources).length > MAX_SOURCES_LENGTH) return fail('is too long: use {namespace} in names');
    return text.split(/[\s,]+/).filter((part) => part !== '');
  } catch (error) {
    return fail(`cannot be used: ${(error as Error).message}`);
  }
}

/** Data from cdk.json or a property, or its JSON text from the command line. */
const shaped =
  (shape: z.ZodMiniType, wanted: string) =>
  (value: unknown): unknown => {
    const { data, error } = shape.safeParse(typeof value === 'string' ? parsed(value) : value);
    if (error === undefined) return data;
    const [{ path, message } = { path: [], message: '' }] = error.issues;
    return fail(`is no ${wanted}: ${path.join('.')} ${message}`);
  };

const alarms = (value: unknown): string =>
  Token.isUnresolved(value) || TOPIC_ARN.test(String(value)) || MAIL_ADDRESS.test(String(value))
    ? String(value)
    : fail('is neither a mail address nor the ARN of a topic: arn:aws:sns:REGION:ACCOUNT:NAME');

/** Whether the recipient of alarms is a mail address, for which a topic is created. */
export const isMailAddress = (text: string): boolean => !Token.isUnresolved(text) && MAIL_ADDRESS.test(text);

/** How each setting is read, and its default; a setting without a default may be undefined. */
export const READERS: Readonly<Record<Exclude<keyof Settings, 'version'>, Reader>> = {
  name: { fallback: 'weft', read: name },
  brand: { fallback: 'service', read: matching(BRAND, 'a word of 1 to 24 of a-z and 0-9, a letter first, not aws') },
  streaming: { fallback: true, read: flag },
  retain: { fallback: true, read: flag },
  protect: { fallback: true, read: flag },
  encryptionKey: { read: matching(KEY_ARN, 'the ARN of a key: arn:aws:kms:REGION:ACCOUNT:key/ID') },
  kms: { fallback: false, read: keyOrFlag },
  rootKey: { read: matching(PARAMETER, 'the name of a parameter, which begins with a slash') },
  logDays: { fallback: RetentionDays.ONE_MONTH, read: logDays },
  retentionDays: { fallback: 30, read: days },
  audit: { fallback: 'changes', read: matching(/^(all|changes)$/, 'all or changes') },
  auditDays: { fallback: 365, read: days },
  auditNamespace: { read: matching(NAMESPACE, 'the name of a namespace') },
  requestsPerSecond: { read: count(MAX_REQUESTS_PER_SECOND) },
  concurrency: { fallback: {}, read: shaped(CONCURRENCY, 'table of functions and numbers') },
  maxWaitingRequests: { read: count(MAX_COUNT) },
  startBudgetMs: { fallback: 100, read: count(MAX_START_BUDGET_MS, 0) },
  waits: { fallback: 'machine', read: matching(/^(machine|table)$/, 'machine or table') },
  maxDescendants: { fallback: 100_000, read: count(MAX_COUNT) },
  maxActiveRuns: { read: count(MAX_COUNT) },
  maxStartsPerSecond: { read: count(MAX_COUNT) },
  quotas: { fallback: {}, read: quotas },
  lambdas: { fallback: [], read: shaped(LAMBDAS, 'list of functions') },
  secretSources: { fallback: [], read: secretSources },
  vault: { read: shaped(VAULT, 'server of Vault') },
  oidc: { read: oidc },
  iam: { read: iam },
  inbound: { fallback: [], read: shaped(INBOUND, 'list of routes') },
  outbound: { fallback: [], read: shaped(OUTBOUND, 'list of routes') },
  domain: { read: matching(DOMAIN, 'a domain name, such as flows.example.com') },
  certificate: {
    read: matching(CERTIFICATE_ARN, 'the ARN of a certificate: arn:aws:acm:REGION:ACCOUNT:certificate/ID'),
  },
  vpc: { read: shaped(VPC, 'table of subnets and securityGroups') },
  vpcEndpoints: { fallback: [], read: shaped(VPC_ENDPOINTS, 'list of endpoints') },
  webAcl: {
    read: matching(WEB_ACL_ARN, 'the ARN of a web ACL: arn:aws:wafv2:REGION:ACCOUNT:regional/webacl/NAME/ID'),
  },
  permissionsBoundary: { read: matching(POLICY_ARN, 'the ARN of a policy: arn:aws:iam::ACCOUNT:policy/NAME') },
  alarms: { read: alarms },
  budget: { read: count(MAX_COUNT) },
  rollout: { fallback: 'AllAtOnce', read: oneOf(ROLLOUTS) },
  dashboard: { fallback: false, read: flag },
  metrics: { fallback: false, read: flag },
  loggingRole: { fallback: true, read: flag },
  tracing: { fallback: false, read: flag },
  otel: { fallback: {}, read: otel },
  tags: { fallback: {}, read: shaped(TAGS, 'table of tags') },
};
