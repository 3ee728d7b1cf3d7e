import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { OidcSettings } from '../../lib/ports/tokens.ts';

/** The settings of an installation: `npm run cdk -- deploy --all -c name=flows -c brand=direktiv`. */
export interface Settings {
  /** The prefix of all names: stacks, tables, keys, state machines. Two installations need two names. */
  readonly name: string;
  /** The word in error codes, headers and event sources: `service`, or `direktiv` as a replacement for Direktiv. */
  readonly brand: string;
  /** API Gateway streams replies; false for an emulator without this feature. */
  readonly streaming: boolean;
  /** The tables, the blobs and the keys are retained when their stack is deleted. */
  readonly retain: boolean;
  /**
   * The tables have deletion protection and point-in-time recovery, the bucket has versions, and the data stack has
   * termination protection.
   */
  readonly protect: boolean;
  /** The ARN of an existing KMS key for tables, bucket, logs and the queue; undefined: keys of AWS. */
  readonly encryptionKey: string | undefined;
  /**
   * The root key that encrypts the data keys of secrets. False: a random key in an encrypted parameter ($0). True: a new
   * KMS key ($1 a month). An ARN: an existing KMS key.
   */
  readonly kms: boolean | string;
  /** The name of an existing encrypted parameter with 32 bytes in base64, instead of a new root key. */
  readonly rootKey: string | undefined;
  /** How many days the logs of the functions are kept. */
  readonly logDays: RetentionDays;
  /** How many days the logs of the server, of namespaces and of workflows are kept. */
  readonly retentionDays: number;
  /** `all`: the audit log has every request that can change something. `changes`: without starts of runs and events. */
  readonly audit: 'all' | 'changes';
  /** How many days the audit log is kept. */
  readonly auditDays: number;
  /** The namespace that gets each entry of the audit log as an event. */
  readonly auditNamespace: string | undefined;
  /** How many requests a second the API accepts, twice as many for a moment; undefined: the quota of the account. */
  readonly requestsPerSecond: number | undefined;
  /** By the name of a function, such as `steps`: how many of its calls run at once, reserved of the account's quota. */
  readonly concurrency: Readonly<Record<string, number>>;
  /** How many requests wait for runs or are event streams at once; undefined: half of the calls that the account allows. */
  readonly maxWaitingRequests: number | undefined;
  /**
   * How long the request that starts a run may execute it before a machine continues it, milliseconds; 0: a machine
   * begins it.
   */
  readonly startBudgetMs: number;
  /** `machine`: a run that waits stands at a state of its state machine. `table`: it has none while it waits. */
  readonly waits: 'machine' | 'table';
  /** The most descendants of a run: its subflows, their subflows, and so on. */
  readonly maxDescendants: number;
  /** How many runs of each namespace are active at once; undefined: any number, unless the namespace limits them. */
  readonly maxActiveRuns: number | undefined;
  /** How many runs each namespace starts a second; undefined: any number, unless the namespace limits them. */
  readonly maxStartsPerSecond: number | undefined;
  /** By the name of a quota: how many of the things a namespace or the installation may have (docs/limits.md). */
  readonly quotas: Readonly<Record<string, number>>;
  /** The names or ARNs of the Lambda functions that workflows may call (docs/lambda.md). */
  readonly lambdas: readonly string[];
  /** The secrets outside the service that namespaces may use: `aws-sm:weft/{namespace}/*` (docs/secrets.md). */
  readonly secretSources: readonly string[];
  /** The server of Vault with such secrets. */
  readonly vault: VaultServer | undefined;
  /** The sign-in by OpenID Connect beside API keys (docs/sign-in.md); undefined: keys alone. */
  readonly oidc: OidcSettings | undefined;
  /** The sign-in by IAM beside API keys (docs/sign-in.md); undefined: none. */
  readonly iam: Iam | undefined;
  /** Events of other buses for namespaces (docs/open-bus.md). */
  readonly inbound: readonly Inbound[];
  /** Events of namespaces for other targets (docs/open-bus.md). */
  readonly outbound: readonly Outbound[];
  /** The domain name of the API, which needs a certificate. */
  readonly domain: string | undefined;
  /** The ARN of the certificate of the domain name, in the same region. */
  readonly certificate: string | undefined;
  /** The VPC in which the functions run; undefined: they run outside. */
  readonly vpc: Vpc | undefined;
  /** The ids of the VPC endpoints through which a private API is called; none: the API is public. */
  readonly vpcEndpoints: readonly string[];
  /** The ARN of a web ACL of WAF for the API. */
  readonly webAcl: string | undefined;
  /** The ARN of the policy that limits the rights of all roles. */
  readonly permissionsBoundary: string | undefined;
  /** The recipient of alarms: a mail address, or the ARN of a topic. */
  readonly alarms: string | undefined;
  /** US dollars a month: the recipient of alarms is notified when the account costs more; undefined: no budget. */
  readonly budget: number | undefined;
  /** How calls move to a new version of the functions: at once, or by a configuration of CodeDeploy, watched by alarms. */
  readonly rollout: Rollout;
  /** Create a CloudWatch dashboard. */
  readonly dashboard: boolean;
  /** The functions write metrics to CloudWatch (lib/ports/telemetry/meter.ts), which are not free. */
  readonly metrics: boolean;
  /** API Gateway writes access logs by a role that the stack sets for the whole account; false: the account has one already. */
  readonly loggingRole: boolean;
  /** X-Ray traces requests and functions. */
  readonly tracing: boolean;
  /**
   * The variables `OTEL_*` of the functions, for the export of traces (docs/runs.md); without an endpoint, no traces
   * are exported.
   */
  readonly otel: Readonly<Record<string, string>>;
  /** The tags of all resources. */
  readonly tags: Readonly<Record<string, string>>;
  /** The reply to GET /version. */
  readonly version: string;
}

/** What a principal of IAM may do: a permission, in some namespaces or in all. */
export interface PrincipalGrant {
  readonly permission: 'worker' | 'read' | 'run' | 'write' | 'admin';
  readonly namespaces?: readonly string[] | undefined;
}

/** The sign-in by IAM. */
export interface Iam {
  /** The grant of each principal by its ARN, or its permission alone. */
  readonly principals: Readonly<Record<string, PrincipalGrant | PrincipalGrant['permission']>>;
  /** The name of the service in its tokens; without it, the host of the API. */
  readonly audience?: string;
}

/** A server of Vault, and how the service logs in. */
export interface VaultServer {
  /** A URL. */
  readonly address: string;
  /** The name of the encrypted parameter with the login as JSON: `{"token": …}` or `{"roleId": …, "secretId": …}`. */
  readonly login: string;
  /** The namespace of Vault Enterprise. */
  readonly namespace?: string | undefined;
}

/** Where functions run in a VPC. */
export interface Vpc {
  /** The ids of subnets of one VPC. */
  readonly subnets: readonly string[];
  /** The ids of security groups of that VPC. */
  readonly securityGroups: readonly string[];
}

/** `AllAtOnce`, or the name of a configuration of CodeDeploy without its prefix. */
export type Rollout = (typeof ROLLOUTS)[number];

/** The values of `rollout`: AWS's configurations for functions. */
export const ROLLOUTS = [
  'AllAtOnce',
  'Canary10Percent5Minutes',
  'Canary10Percent10Minutes',
  'Canary10Percent15Minutes',
  'Canary10Percent30Minutes',
  'Linear10PercentEvery1Minute',
  'Linear10PercentEvery2Minutes',
  'Linear10PercentEvery3Minutes',
  'Linear10PercentEvery10Minutes',
] as const;

/** Events of a bus that are sent to a namespace. */
export interface Inbound {
  readonly namespace: string;
  /** The name of a bus of this account and region; default: the account's default bus, which has events of AWS services. */
  readonly bus?: string | undefined;
  /** An event pattern of EventBridge. */
  readonly pattern: Readonly<Record<string, unknown>>;
}

/** Events of namespaces that are sent to a target. Names and types may be patterns such as `{"prefix": "com."}`. */
export interface Outbound {
  /** Default: all namespaces. */
  readonly namespaces?: readonly unknown[] | undefined;
  /** Default: all types. */
  readonly types?: readonly unknown[] | undefined;
  /** The ARN of any target of EventBridge: a queue, a topic, a function, a stream. */
  readonly target: string;
  /** The ARN of the role for the delivery, if the target needs one. */
  readonly role?: string | undefined;
}
