// Made from docs/openapi.json by `npm run docs`.
// biome-ignore-all format: generated, a row a line, so that a change of the API shows as its rows

type Empty = Readonly<Record<never, never>>;
type Bytes = string | Blob | Uint8Array<ArrayBuffer>;

export type PageInfo = { readonly order: readonly { readonly field: string; readonly direction: string }[]; readonly filter: readonly { readonly field: string; readonly type: string; readonly val: string }[]; readonly limit: number; readonly offset: number; readonly total: number; readonly hasNextPage: boolean; readonly hasPreviousPage: boolean; readonly startCursor: string; readonly endCursor: string };
export type NamespaceRecord = { readonly createdAt: string; readonly updatedAt: string; readonly name: string; readonly oid: string };
export type Node = { readonly createdAt: string; readonly updatedAt: string; readonly name: string; readonly path: string; readonly parent: string; readonly type: 'directory' | 'workflow'; readonly attributes: readonly string[]; readonly oid: string; readonly readOnly: boolean; readonly expandedType: 'directory' | 'workflow' | 'git'; readonly mimeType: string };
export type Revision = { readonly createdAt: string; readonly hash: string; readonly source: string; readonly name: string };
export type Directory = { readonly namespace: string; readonly node: Node; readonly children: { readonly pageInfo: PageInfo; readonly results: readonly Node[]; readonly totalCount: number; readonly edges: readonly { readonly node: Node; readonly cursor: string }[] } };
export type Workflow = { readonly namespace: string; readonly node: Node; readonly revision: Revision; readonly eventLogging: string; readonly oid: string };
export type InstanceRecord = { readonly createdAt: string; readonly updatedAt: string; readonly id: string; readonly as: string; readonly status: 'pending' | 'complete' | 'failed' | 'crashed'; readonly errorCode: string; readonly errorMessage: string; readonly invoker: string; readonly queued?: boolean };
export type InstanceRow = { readonly createdAt: string; readonly updatedAt: string; readonly id: string; readonly as: string; readonly status: 'pending' | 'complete' | 'failed' | 'crashed'; readonly errorCode: string; readonly errorMessage: string; readonly invoker: string; readonly queued?: boolean; readonly labels?: { readonly [name: string]: string } };
export type Step = { readonly n: number; readonly state: string; readonly type: string; readonly entered: string; readonly left?: string; readonly to?: string; readonly because?: string; readonly change?: { readonly patch: readonly ({ readonly op: 'add' | 'remove'; readonly path: string; readonly value?: unknown })[] } | { readonly omitted: number }; readonly error?: { readonly code: string; readonly message: string; readonly at?: { readonly file: string; readonly line: number; readonly column: number }; readonly expression?: string; readonly saw?: { readonly type: string; readonly sample: string }; readonly near?: readonly string[]; readonly unmatched?: readonly string[] }; readonly calls?: readonly ({ readonly call: number; readonly attempt: number; readonly instance: string; readonly kind?: 'http' | 'lambda' | 'mail'; readonly to?: string; readonly status?: number; readonly ms?: number; readonly error?: { readonly code: string; readonly message: string }; readonly retryInMs?: number; readonly queuedMs?: number; readonly reused?: boolean; readonly unawaited?: boolean })[]; readonly callCount?: number; readonly events?: readonly string[] };
export type Variable = { readonly name: string; readonly createdAt: string; readonly updatedAt: string; readonly checksum: string; readonly mimeType: string; readonly size: string };
export type SecretRecord = { readonly name: string; readonly initialized: boolean; readonly reference?: string; readonly cache?: string };
export type Registry = { readonly name: string; readonly id: string; readonly user: string };
export type ServiceRecord = { readonly info: { readonly name: string; readonly namespace: string; readonly workflow: string; readonly image: string; readonly cmd: string; readonly size: number; readonly minScale: number; readonly namespaceName: string; readonly path: string; readonly revision: string; readonly envs: { readonly [name: string]: string } }; readonly status: 'True' | 'False' | 'Unknown'; readonly conditions: readonly Condition[]; readonly serviceName: string };
export type ServiceRevision = { readonly name: string; readonly image: string; readonly cmd: string; readonly size: number; readonly minScale: number; readonly generation: string; readonly created: string; readonly status: 'True' | 'False' | 'Unknown'; readonly conditions: readonly Condition[]; readonly desiredReplicas: string; readonly actualReplicas: string; readonly rev: string };
export type Condition = { readonly name: string; readonly status: 'True' | 'False' | 'Unknown'; readonly reason: string; readonly message: string };
export type Pod = { readonly name: string; readonly status: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'; readonly serviceName: string; readonly serviceRevision: string };
export type LogLine = { readonly t: string; readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly msg: string; readonly tags: { readonly [name: string]: string } };
export type AuditEntry = { readonly id: string; readonly time: string; readonly actor: string; readonly key: string; readonly action: string; readonly namespace: string; readonly target: { readonly [name: string]: string }; readonly outcome: 'done' | 'refused' | 'failed'; readonly status: number; readonly address: string; readonly forwardedFor: string; readonly client: string };
export type EventRecord = { readonly receivedAt: string; readonly id: string; readonly source: string; readonly type: string; readonly cloudevent: string };
export type Listener = { readonly workflow: string; readonly instance: string; readonly updatedAt: string; readonly mode: 'simple' | 'and' | 'or'; readonly events: readonly { readonly type: string; readonly filters: { readonly [name: string]: unknown } }[]; readonly createdAt: string; readonly cancels?: boolean };
export type FailedDelivery = { readonly id: string; readonly kind: 'event' | 'tick' | 'inbound'; readonly failedAt: string; readonly tries: number; readonly error: string; readonly due: string; readonly event: string; readonly type: string; readonly source: string; readonly workflow: string; readonly to: string };
export type KeyRecord = { readonly id: string; readonly name: string; readonly permission: 'worker' | 'read' | 'run' | 'write' | 'admin'; readonly namespaces: readonly string[]; readonly createdAt: string };
export type Failure = { readonly code: number; readonly message: string; readonly Error: string; readonly StatusCode: number; readonly error?: { readonly code: string; readonly message: string }; readonly violations?: readonly string[] };
export type NamespacesReply = { readonly pageInfo: PageInfo; readonly results: readonly NamespaceRecord[]; readonly totalCount: number; readonly edges: readonly { readonly node: NamespaceRecord; readonly cursor: string }[] };
export type NamespaceReply = { readonly namespace: NamespaceRecord };
export type ConfigReply = { readonly broadcast: { readonly [name: string]: boolean }; readonly events?: { readonly lookback: string }; readonly record?: 'full' | 'flow' | 'none'; readonly limits?: { readonly transitions?: number; readonly logBytes?: number; readonly activeRuns?: number; readonly startsPerSecond?: number; readonly variableBytes?: number; readonly variables?: number; readonly workflows?: number; readonly schedules?: number; readonly ticks?: number; readonly listeners?: number; readonly secrets?: number; readonly registries?: number; readonly services?: number; readonly runs?: number; readonly eventsPerSecond?: number }; readonly egress?: readonly string[]; readonly functions?: { readonly native: boolean }; readonly alerts?: { readonly workflow?: string; readonly url?: string; readonly secret?: string; readonly within?: string }; readonly mail?: { readonly host: string; readonly port?: number; readonly tls?: 'implicit' | 'starttls'; readonly insecure?: boolean; readonly user?: string; readonly password?: string; readonly from?: string }; readonly partitions?: number; readonly warnings?: readonly string[] };
export type UsageReply = { readonly quotas: readonly ({ readonly name: 'variableBytes' | 'variables' | 'workflows' | 'schedules' | 'ticks' | 'listeners' | 'secrets' | 'registries' | 'services' | 'runs' | 'eventsPerSecond'; readonly used: number; readonly most: number })[] };
export type SchedulesReply = { readonly namespace: string; readonly schedules: readonly { readonly workflow: string; readonly cron: string; readonly next: readonly string[] }[] };
export type DefinitionsReply = { readonly since?: string; readonly defined: number; readonly waiting: number; readonly waitingInAll: number; readonly failed: readonly { readonly path: string; readonly error: string }[] };
export type DirectoryOrWorkflowReply = Directory | Workflow;
export type NamedNodeReply = { readonly namespace: string; readonly node: Node };
export type NodeRevisionReply = { readonly namespace: string; readonly node: Node; readonly revision: Revision };
export type StoredRevisionReply = { readonly namespace: string; readonly node: Node; readonly revision: Revision; readonly warnings?: readonly ({ readonly rule: string; readonly severity: 'error' | 'warning' | 'hint'; readonly message: string; readonly line: number; readonly column: number; readonly end?: { readonly line: number; readonly column: number }; readonly hint?: string; readonly mend?: { readonly title: string; readonly edits: readonly { readonly from: { readonly line: number; readonly column: number }; readonly to: { readonly line: number; readonly column: number }; readonly text: string }[]; readonly isCertain: boolean }; readonly text: string; readonly docs: string })[] };
export type ProblemsReply = { readonly namespace: string; readonly path: string; readonly problems: readonly ({ readonly rule: string; readonly severity: 'error' | 'warning' | 'hint'; readonly message: string; readonly line: number; readonly column: number; readonly end?: { readonly line: number; readonly column: number }; readonly hint?: string; readonly mend?: { readonly title: string; readonly edits: readonly { readonly from: { readonly line: number; readonly column: number }; readonly to: { readonly line: number; readonly column: number }; readonly text: string }[]; readonly isCertain: boolean }; readonly text: string; readonly docs: string })[] };
export type RefsReply = { readonly namespace: string; readonly node: Node; readonly pageInfo: PageInfo; readonly results: readonly { readonly name: string }[]; readonly totalCount: number; readonly edges: readonly { readonly node: { readonly name: string }; readonly cursor: string }[] };
export type HistoryReply = { readonly namespace: string; readonly node: Node; readonly revisions: readonly { readonly revision: string; readonly createdAt: string; readonly hash: string; readonly latest: boolean; readonly saved: boolean; readonly tags: readonly string[] }[]; readonly next?: string };
export type DeletionsReply = { readonly namespace: string; readonly deleted: readonly { readonly path: string; readonly revision: string; readonly deletedAt: string; readonly restorableUntil: string }[]; readonly next?: string };
export type RestorationReply = { readonly namespace: string; readonly restored: readonly string[]; readonly failed: readonly { readonly path: string; readonly message: string }[]; readonly next?: string };
export type RouterReply = { readonly namespace: string; readonly node: Node; readonly live: boolean; readonly routes: readonly { readonly ref: string; readonly weight: number }[] };
export type RouterVerdictReply = { readonly namespace: string; readonly path: string; readonly invalid: boolean; readonly reason: string };
export type RefVerdictReply = { readonly namespace: string; readonly path: string; readonly ref: string; readonly invalid: boolean; readonly reason: string; readonly compiles: boolean };
export type MachineReply = { readonly namespace: string; readonly path: string; readonly revision: string; readonly tier: 'EXPRESS' | 'STANDARD'; readonly definition: { readonly [name: string]: unknown }; readonly waits?: { readonly [name: string]: unknown }; readonly resumes?: { readonly [name: string]: unknown }; readonly plan: { readonly [name: string]: unknown } };
export type MirrorReply = { readonly namespace: string; readonly info: { readonly url: string; readonly ref: string; readonly cron: string; readonly publicKey: string; readonly commitId: string; readonly lastSync: string | null; readonly privateKey: string; readonly passphrase: string; readonly insecure: boolean }; readonly activities: { readonly pageInfo: PageInfo; readonly results: readonly { readonly id: string; readonly type: string; readonly status: string; readonly createdAt: string; readonly updatedAt: string }[]; readonly totalCount: number; readonly edges: readonly { readonly node: { readonly id: string; readonly type: string; readonly status: string; readonly createdAt: string; readonly updatedAt: string }; readonly cursor: string }[] } };
export type StartedReply = { readonly namespace: string; readonly instance: string };
export type InstancesReply = { readonly instances: { readonly pageInfo: PageInfo; readonly results: readonly InstanceRow[]; readonly totalCount: number; readonly edges: readonly { readonly node: InstanceRow; readonly cursor: string }[] }; readonly namespace: string };
export type InstanceReply = { readonly namespace: string; readonly instance: InstanceRecord; readonly invokedBy: string; readonly flow: readonly string[]; readonly workflow: { readonly path: string; readonly name: string; readonly parent: string; readonly revision: string }; readonly labels?: { readonly [name: string]: string }; readonly error?: { readonly code: string; readonly message: string; readonly at?: { readonly file: string; readonly line: number; readonly column: number }; readonly expression?: string; readonly saw?: { readonly type: string; readonly sample: string }; readonly near?: readonly string[]; readonly unmatched?: readonly string[]; readonly state: string } };
export type InstanceDataReply = { readonly namespace: string; readonly instance: InstanceRecord; readonly data: string };
export type TimelineReply = { readonly namespace: string; readonly instance: InstanceRecord; readonly workflow: { readonly path: string; readonly revision: string }; readonly record: 'full' | 'flow' | 'none'; readonly steps: readonly Step[]; readonly elided?: { readonly from: number; readonly to: number; readonly by: { readonly [name: string]: number } }; readonly rerunOf?: string; readonly reruns: readonly string[] };
export type TimelineStepReply = { readonly namespace: string; readonly instance: InstanceRecord; readonly step: Step; readonly in?: { readonly [name: string]: unknown }; readonly out?: { readonly [name: string]: unknown }; readonly log: { readonly lines: readonly { readonly t: string; readonly level: string; readonly msg: string }[]; readonly more?: boolean } };
export type WaitingReply = { readonly namespace: string; readonly instance: InstanceRecord; readonly cancelOn?: { readonly type: string; readonly context: { readonly [name: string]: unknown } }; readonly concurrency?: { readonly workflow: string; readonly key: string; readonly place: number; readonly heldBy: readonly string[] }; readonly held?: { readonly workflow: string; readonly by: 'rate' | 'debounce' | 'batch'; readonly key: string; readonly until: string; readonly starts: number }; readonly waiting?: { readonly state: string; readonly since: string; readonly until: string; readonly for: { readonly delay?: string; readonly approval?: { readonly subject: string; readonly assignees: readonly string[]; readonly reminders: number }; readonly events?: { readonly mode: 'one' | 'all'; readonly filters: readonly { readonly type: string; readonly context: { readonly [name: string]: unknown }; readonly received: boolean }[] }; readonly calls?: { readonly total: number; readonly returned: number; readonly open: readonly ({ readonly call: number; readonly attempt: number; readonly instance: string; readonly status: 'not begun' | 'pending' | 'complete' | 'failed' | 'crashed'; readonly workflow: string; readonly worker?: { readonly queue: string; readonly status: 'ready' | 'leased' | 'delayed'; readonly taken: number; readonly worker?: string; readonly leaseUntil?: string; readonly from?: string }; readonly concurrency?: { readonly scope: string; readonly key: string; readonly place: number; readonly heldBy: readonly string[] }; readonly held?: { readonly scope: string; readonly by: 'rate' | 'debounce' | 'batch'; readonly key: string; readonly until: string; readonly starts: number }; readonly retry?: { readonly attempt: number; readonly of?: number; readonly at: string; readonly error?: { readonly code: string; readonly message: string } } })[] } }; readonly nearMisses: readonly { readonly event: string; readonly receivedAt: string; readonly type: string; readonly attribute: string; readonly expected: unknown; readonly found: unknown }[] } };
export type ApprovalsReply = { readonly namespace: string; readonly approvals: readonly { readonly instance: string; readonly workflow: string; readonly state: string; readonly subject: string; readonly text: string; readonly assignees: readonly string[]; readonly since: string; readonly until: string; readonly reminders: number; readonly failures?: readonly { readonly instance: string; readonly code: string; readonly message: string }[] }[] };
export type ApprovalReply = { readonly namespace: string; readonly approval: { readonly instance: string; readonly workflow: string; readonly state: string; readonly subject: string; readonly text: string; readonly assignees: readonly string[]; readonly since: string; readonly until: string; readonly reminders: number; readonly failures?: readonly { readonly instance: string; readonly code: string; readonly message: string }[]; readonly choices: readonly string[]; readonly form?: unknown } };
export type DecisionReply = { readonly namespace: string; readonly instance: string; readonly choice: string; readonly by: string };
export type WebhooksReply = { readonly namespace: string; readonly webhooks: readonly ({ readonly workflow: string; readonly url: string; readonly live: boolean; readonly verification: 'github' | 'stripe' | 'slack' | 'standard' | 'hmac' | 'basic' | 'url' | 'none'; readonly secret?: { readonly name: string; readonly variable: string; readonly initialized: boolean }; readonly reply?: string; readonly event?: string; readonly curl: string })[]; readonly complete: boolean };
export type PricesReply = { readonly namespace: string; readonly pricedOn: string; readonly region: string; readonly workflows: readonly ({ readonly workflow: string; readonly runs: readonly ({ readonly op: 'execute' | 'wait' | 'webhook' | 'event'; readonly least: number; readonly most: number; readonly lines: readonly { readonly what: string; readonly least: number; readonly most: number; readonly price: number }[] })[] })[] };
export type InstanceSourceReply = { readonly namespace: string; readonly instance: string; readonly path: string; readonly revision: Revision };
export type BundleReply = { readonly weftBundle: number; readonly instance: { readonly id: string; readonly namespace: string; readonly revision: string; readonly startedAt: string }; readonly workflow: { readonly path: string; readonly source: string }; readonly input: unknown; readonly calls: readonly { readonly function: string; readonly state: string; readonly after: number; readonly took: number; readonly return?: unknown; readonly error?: { readonly code: string; readonly message: string } }[]; readonly events: readonly { readonly after: number; readonly event: { readonly [name: string]: unknown } }[]; readonly decisions: readonly { readonly after: number; readonly state: string; readonly choice: string; readonly form?: { readonly [name: string]: unknown }; readonly by?: string; readonly from?: string }[]; readonly variables: { readonly namespace: { readonly [name: string]: unknown }; readonly workflow: { readonly [name: string]: unknown } }; readonly secrets: readonly string[]; readonly outcome: { readonly status: 'complete' | 'failed' | 'crashed'; readonly error?: { readonly code: string; readonly message: string }; readonly output?: { readonly [name: string]: unknown }; readonly states: readonly string[]; readonly took: number }; readonly notes: readonly string[] };
export type RerunReply = { readonly namespace: string; readonly instance?: string; readonly rerunOf: string; readonly warnings: readonly ({ readonly state: string; readonly effect: 'http' | 'lambda' | 'mail' | 'container' | 'worker' | 'workflow' | 'event' | 'variable' | 'approval' | 'missing'; readonly message: string })[] };
export type RerunManyReply = { readonly namespace: string; readonly dryRun: boolean; readonly at: string; readonly total?: number; readonly instances: readonly ({ readonly instance: string; readonly rerun?: string; readonly skipped?: string; readonly warnings?: readonly ({ readonly state: string; readonly effect: 'http' | 'lambda' | 'mail' | 'container' | 'worker' | 'workflow' | 'event' | 'variable' | 'approval' | 'missing'; readonly message: string })[] })[]; readonly next?: string; readonly retryAfter?: number };
export type JobReply = { readonly namespace: string; readonly job: { readonly id: string; readonly action: 'cancel' | 'rerun'; readonly state: 'running' | 'over' | 'stopped' | 'failed'; readonly total?: number; readonly done: number; readonly skipped: number; readonly held?: number; readonly createdAt: string; readonly createdBy?: string; readonly filter: readonly { readonly field: string; readonly type: string; readonly val: string }[]; readonly error?: string; readonly waitsUntil?: string } };
export type JobsReply = { readonly namespace: string; readonly jobs: readonly ({ readonly id: string; readonly action: 'cancel' | 'rerun'; readonly state: 'running' | 'over' | 'stopped' | 'failed'; readonly total?: number; readonly done: number; readonly skipped: number; readonly held?: number; readonly createdAt: string; readonly createdBy?: string; readonly filter: readonly { readonly field: string; readonly type: string; readonly val: string }[]; readonly error?: string; readonly waitsUntil?: string })[] };
export type TasksReply = { readonly namespace: string; readonly queue: string; readonly tasks: readonly { readonly task: string; readonly lease: string; readonly leaseUntil: string; readonly until: string; readonly key: string; readonly attempt: number; readonly taken: number; readonly priority: number; readonly createdAt: string; readonly instance: string; readonly workflow: string; readonly state: string; readonly traceparent: string; readonly input: unknown }[] };
export type TaskStateReply = { readonly task: string; readonly status: 'complete' | 'failed' | 'offered' | 'leased'; readonly leaseUntil?: string };
export type QueuesReply = { readonly namespace: string; readonly queues: readonly { readonly queue: string; readonly ready: number; readonly held: number }[] };
export type QueueReply = { readonly namespace: string; readonly queue: string; readonly ready: number; readonly held: number; readonly tasks: readonly ({ readonly task: string; readonly priority: number; readonly createdAt: string; readonly until: string; readonly instance: string; readonly workflow: string; readonly state: string; readonly status: 'ready' | 'leased' | 'delayed'; readonly taken: number; readonly worker?: string; readonly leaseUntil?: string; readonly from?: string })[] };
export type NamespaceVariablesReply = { readonly namespace: string; readonly variables: { readonly pageInfo: PageInfo; readonly results: readonly Variable[]; readonly totalCount: number; readonly edges: readonly { readonly node: Variable; readonly cursor: string }[] } };
export type WorkflowVariablesReply = { readonly namespace: string; readonly variables: { readonly pageInfo: PageInfo; readonly results: readonly Variable[]; readonly totalCount: number; readonly edges: readonly { readonly node: Variable; readonly cursor: string }[] }; readonly path: string };
export type InstanceVariablesReply = { readonly namespace: string; readonly variables: { readonly pageInfo: PageInfo; readonly results: readonly Variable[]; readonly totalCount: number; readonly edges: readonly { readonly node: Variable; readonly cursor: string }[] }; readonly instance: string };
export type NamespaceVariableReply = { readonly namespace: string; readonly key: string; readonly createdAt: string; readonly updatedAt: string; readonly checksum: string; readonly mimeType: string; readonly totalSize: string };
export type WorkflowVariableReply = { readonly namespace: string; readonly key: string; readonly createdAt: string; readonly updatedAt: string; readonly checksum: string; readonly mimeType: string; readonly totalSize: string; readonly path: string };
export type InstanceVariableReply = { readonly namespace: string; readonly key: string; readonly createdAt: string; readonly updatedAt: string; readonly checksum: string; readonly mimeType: string; readonly totalSize: string; readonly instance: string };
export type SecretsReply = { readonly namespace: string; readonly secrets: { readonly pageInfo: PageInfo; readonly results: readonly SecretRecord[]; readonly totalCount: number; readonly edges: readonly { readonly node: SecretRecord; readonly cursor: string }[] } };
export type SecretReply = { readonly namespace: string; readonly key: string };
export type RegistriesReply = { readonly registries: readonly Registry[] };
export type RegistryTestReply = Readonly<Record<string, never>>;
export type ServicesReply = { readonly config: { readonly maxscale: number }; readonly functions: readonly ServiceRecord[] };
export type ServiceReply = { readonly name: string; readonly namespace?: string; readonly workflow?: string; readonly config: { readonly maxscale: number }; readonly revisions: readonly ({ readonly name: string; readonly image: string; readonly cmd?: string; readonly size?: number; readonly minScale?: number; readonly generation: number; readonly created: number; readonly status: 'True' | 'False' | 'Unknown'; readonly conditions?: readonly Condition[]; readonly traffic?: number; readonly revision: string })[]; readonly scope: string };
export type ServiceRevisionsReply = { readonly revisions: readonly ServiceRevision[]; readonly name?: string; readonly config?: { readonly maxscale: number } };
export type PodsReply = { readonly pods: readonly Pod[] };
export type ServiceFrameReply = { readonly event: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly function: ServiceRecord; readonly traffic: readonly { readonly revisionName: string; readonly traffic: string; readonly generation: string }[] };
export type RevisionFrameReply = { readonly event: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly revision: ServiceRevision };
export type PodFrameReply = { readonly event: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly pod: Pod };
export type PodLogFrameReply = { readonly data: string };
export type AuditReply = { readonly entries: readonly AuditEntry[]; readonly next?: string };
export type ServerLogsReply = { readonly pageInfo: PageInfo; readonly results: readonly LogLine[]; readonly totalCount: number; readonly edges: readonly { readonly node: LogLine; readonly cursor: string }[] };
export type NamespaceLogsReply = { readonly pageInfo: PageInfo; readonly results: readonly LogLine[]; readonly totalCount: number; readonly edges: readonly { readonly node: LogLine; readonly cursor: string }[]; readonly namespace: string };
export type WorkflowLogsReply = { readonly pageInfo: PageInfo; readonly results: readonly LogLine[]; readonly totalCount: number; readonly edges: readonly { readonly node: LogLine; readonly cursor: string }[]; readonly namespace: string; readonly path: string };
export type InstanceLogsReply = { readonly pageInfo: PageInfo; readonly results: readonly LogLine[]; readonly totalCount: number; readonly edges: readonly { readonly node: LogLine; readonly cursor: string }[]; readonly namespace: string; readonly instance: string };
export type MetricsReply = { readonly results: readonly { readonly metric: { readonly [name: string]: string }; readonly value: readonly [number, string] }[]; readonly warnings: readonly string[] | null };
export type FlowMetricsReply = { readonly totalInstancesRun: number; readonly totalInstanceMilliseconds: number; readonly successfulExecutions: number; readonly failedExecutions: number; readonly errorCodes: { readonly [name: string]: number }; readonly errorCodesRepresentation: { readonly [name: string]: number }; readonly sampleSize: number; readonly meanInstanceMilliseconds: number; readonly successRate: number; readonly failureRate: number; readonly states: readonly { readonly name: string; readonly invokers: { readonly [name: string]: number }; readonly invokersRepresentation: { readonly [name: string]: number }; readonly totalExecutions: number; readonly totalMilliseconds: number; readonly totalSuccesses: number; readonly totalFailures: number; readonly unhandledErrors: { readonly [name: string]: number }; readonly unhandledErrorsRepresentation: { readonly [name: string]: number }; readonly totalRetries: number; readonly outcomes: { readonly success: number; readonly failure: number; readonly transitions: { readonly [name: string]: number } }; readonly meanExecutionsPerInstance: number; readonly meanMillisecondsPerInstance: number; readonly successRate: number; readonly failureRate: number; readonly meanRetries: number; readonly meanOutcomes: { readonly success: number; readonly failure: number; readonly transitions: { readonly [name: string]: number } } }[] };
export type EventsReply = { readonly events: { readonly pageInfo: PageInfo; readonly results: readonly EventRecord[]; readonly totalCount: number; readonly edges: readonly { readonly node: EventRecord; readonly cursor: string }[] }; readonly namespace: string };
export type ExplanationReply = { readonly namespace: string; readonly event: EventRecord; readonly routed: boolean; readonly listeners: readonly { readonly listener: string; readonly workflow: string; readonly matches: boolean; readonly failed?: { readonly attribute: string; readonly expected: unknown; readonly found: unknown }; readonly did: string; readonly started?: string }[] };
export type ListenersReply = { readonly namespace: string; readonly pageInfo: PageInfo; readonly results: readonly Listener[]; readonly totalCount: number; readonly edges: readonly { readonly node: Listener; readonly cursor: string }[] };
export type FailedDeliveriesReply = { readonly namespace: string; readonly pageInfo: PageInfo; readonly results: readonly FailedDelivery[]; readonly totalCount: number; readonly edges: readonly { readonly node: FailedDelivery; readonly cursor: string }[] };
export type RedeliveredReply = { readonly redelivered: number; readonly failed: number; readonly left: number };
export type EventFiltersReply = { readonly eventFilter: readonly { readonly name: string }[] };
export type EventFilterReply = { readonly filtername: string; readonly jsCode: string };
export type VersionReply = { readonly api: string; readonly flow: string; readonly functions: string };
export type JqResultsReply = { readonly query: string; readonly data: string; readonly results: readonly string[] };
export type DescriptionReply = { readonly openapi: string; readonly [name: string]: unknown };
export type JsonSchemaReply = { readonly '$schema': string; readonly [name: string]: unknown };
export type KeysReply = { readonly keys: readonly KeyRecord[] };
export type OwnKeyReply = { readonly permission: 'worker' | 'read' | 'run' | 'write' | 'admin'; readonly namespaces: readonly string[]; readonly grants?: readonly ({ readonly permission: 'worker' | 'read' | 'run' | 'write' | 'admin'; readonly namespaces: readonly string[] })[] };
export type NewKeyReply = { readonly key: KeyRecord; readonly secret: string };
export type SignInReply = { readonly oidc?: { readonly issuer: string; readonly client: string; readonly authorizationUrl: string } };
export type SignedInReply = { readonly token: string; readonly refreshToken?: string };
export type MirrorInput = { readonly url?: string; readonly ref?: string; readonly cron?: string; readonly passphrase?: string; readonly publicKey?: string; readonly privateKey?: string; readonly insecure?: boolean };
export type ConfigInput = { readonly broadcast?: { readonly 'directory.create'?: boolean | null; readonly 'directory.delete'?: boolean | null; readonly 'instance.failed'?: boolean | null; readonly 'instance.late'?: boolean | null; readonly 'instance.started'?: boolean | null; readonly 'instance.success'?: boolean | null; readonly 'instance.variable.create'?: boolean | null; readonly 'instance.variable.delete'?: boolean | null; readonly 'instance.variable.update'?: boolean | null; readonly 'namespace.variable.create'?: boolean | null; readonly 'namespace.variable.delete'?: boolean | null; readonly 'namespace.variable.update'?: boolean | null; readonly 'workflow.create'?: boolean | null; readonly 'workflow.delete'?: boolean | null; readonly 'workflow.update'?: boolean | null; readonly 'workflow.variable.create'?: boolean | null; readonly 'workflow.variable.delete'?: boolean | null; readonly 'workflow.variable.update'?: boolean | null }; readonly events?: { readonly lookback?: string | null }; readonly record?: 'full' | 'flow' | 'none'; readonly limits?: { readonly transitions?: number | null; readonly logBytes?: number | null; readonly activeRuns?: number | null; readonly startsPerSecond?: number | null; readonly variableBytes?: number | null; readonly variables?: number | null; readonly workflows?: number | null; readonly schedules?: number | null; readonly ticks?: number | null; readonly listeners?: number | null; readonly secrets?: number | null; readonly registries?: number | null; readonly services?: number | null; readonly runs?: number | null; readonly eventsPerSecond?: number | null }; readonly egress?: readonly string[] | null; readonly functions?: { readonly native?: boolean | null }; readonly alerts?: { readonly workflow?: string | null; readonly url?: string | null; readonly secret?: string | null; readonly within?: string | null } | null; readonly mail?: { readonly host?: string | null; readonly port?: number | null; readonly tls?: 'implicit' | 'starttls' | null; readonly insecure?: boolean | null; readonly user?: string | null; readonly password?: string | null; readonly from?: string | null } | null; readonly partitions?: number | null };
export type RerunManyInput = { readonly dryRun?: boolean; readonly at?: string; readonly limit?: number; readonly after?: string; readonly repeat?: 'failed' | 'all' };
export type JobInput = { readonly action: 'cancel' | 'rerun'; readonly from?: string; readonly revision?: 'pinned' | 'latest'; readonly repeat?: 'failed' | 'all' };
export type RerunInput = { readonly patch?: readonly unknown[]; readonly repeat?: 'failed' | 'all'; readonly dryRun?: boolean };
export type ToggleInput = { readonly live?: boolean };
export type EventLoggingInput = { readonly logger?: string };
export type AttributesInput = { readonly attributes?: readonly string[] };
export type RenameInput = { readonly new?: string };
export type TagInput = { readonly tag?: string };
export type RouterInput = { readonly live?: boolean; readonly route?: readonly { readonly ref?: string; readonly weight?: number }[] };
export type RegistryInput = { readonly reg?: string; readonly data?: string; readonly [name: string]: unknown };
export type RegistryNameInput = { readonly reg?: string; readonly [name: string]: unknown };
export type RegistryTestInput = { readonly url?: string; readonly username?: string; readonly password?: string };
export type ServiceInput = { readonly name?: string; readonly image?: string; readonly cmd?: string; readonly size?: number | string; readonly minScale?: number | string; readonly envs?: { readonly [name: string]: string } };
export type ServiceRevisionInput = { readonly image?: string; readonly cmd?: string; readonly size?: number | string; readonly minScale?: number | string; readonly envs?: { readonly [name: string]: string }; readonly trafficPercent?: number | string };
export type TrafficInput = { readonly values?: readonly ({ readonly revision?: string; readonly percent?: number | string })[] };
export type DecisionInput = { readonly choice: string; readonly by?: string; readonly form?: { readonly [name: string]: unknown } };
export type PollInput = { readonly worker?: string; readonly max?: number; readonly lease?: string; readonly wait?: string };
export type TaskOutputInput = { readonly task: string; readonly lease: string; readonly output?: unknown };
export type TaskFailureInput = { readonly task: string; readonly lease: string; readonly code?: string; readonly message?: string; readonly retry?: string };
export type TaskLeaseInput = { readonly task: string; readonly lease: string; readonly duration?: string };
export type JqInput = { readonly query?: string; readonly data?: string };
export type SignInInput = { readonly code?: string; readonly verifier?: string; readonly redirectUri?: string; readonly nonce?: string; readonly refreshToken?: string };
export type KeyInput = { readonly name: string; readonly permission: 'worker' | 'read' | 'run' | 'write' | 'admin'; readonly namespaces?: readonly string[] };

export interface Operations {
  listNamespaces: {
    path: Empty;
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: NamespacesReply;
    frame: NamespacesReply;
  };
  createNamespace: {
    path: { readonly namespace: string };
    query: never;
    body: MirrorInput | undefined;
    reply: NamespaceReply;
    frame: never;
  };
  deleteNamespace: {
    path: { readonly namespace: string };
    query: 'recursive';
    body: undefined;
    reply: undefined;
    frame: never;
  };
  getConfig: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: ConfigReply;
    frame: never;
  };
  setConfig: {
    path: { readonly namespace: string };
    query: never;
    body: ConfigInput;
    reply: ConfigReply;
    frame: never;
  };
  getWorkflowsDescription: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: DescriptionReply;
    frame: never;
  };
  getUsage: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: UsageReply;
    frame: never;
  };
  listSchedules: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: SchedulesReply;
    frame: never;
  };
  getDefinitions: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: DefinitionsReply;
    frame: never;
  };
  getNode: {
    path: { readonly namespace: string; readonly node: string };
    query: 'ref' | 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: DirectoryOrWorkflowReply;
    frame: DirectoryOrWorkflowReply;
  };
  getMachine: {
    path: { readonly namespace: string; readonly node: string };
    query: 'ref';
    body: undefined;
    reply: MachineReply;
    frame: never;
  };
  listRefs: {
    path: { readonly namespace: string; readonly node: string };
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: RefsReply;
    frame: RefsReply;
  };
  listRevisions: {
    path: { readonly namespace: string; readonly node: string };
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: RefsReply;
    frame: RefsReply;
  };
  listTags: {
    path: { readonly namespace: string; readonly node: string };
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: RefsReply;
    frame: RefsReply;
  };
  listHistory: {
    path: { readonly namespace: string; readonly node: string };
    query: 'limit' | 'cursor';
    body: undefined;
    reply: HistoryReply;
    frame: never;
  };
  getRouter: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: undefined;
    reply: RouterReply;
    frame: RouterReply;
  };
  getMirror: {
    path: { readonly namespace: string; readonly node: string };
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: MirrorReply;
    frame: MirrorReply;
  };
  listDeletions: {
    path: { readonly namespace: string; readonly node: string };
    query: 'limit' | 'cursor';
    body: undefined;
    reply: DeletionsReply;
    frame: never;
  };
  waitWorkflow: {
    path: { readonly namespace: string; readonly node: string };
    query: 'ref' | 'ctype' | 'field' | 'raw-output' | 'input.*' | 'label.*';
    body: undefined;
    reply: Blob;
    frame: never;
  };
  listWorkflowVariables: {
    path: { readonly namespace: string; readonly node: string };
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: WorkflowVariablesReply;
    frame: WorkflowVariablesReply;
  };
  getWorkflowVariable: {
    path: { readonly namespace: string; readonly node: string };
    query: 'var';
    body: undefined;
    reply: Blob;
    frame: never;
  };
  getWorkflowLogs: {
    path: { readonly namespace: string; readonly node: string };
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: WorkflowLogsReply;
    frame: WorkflowLogsReply;
  };
  getWorkflowInvoked: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: undefined;
    reply: MetricsReply;
    frame: never;
  };
  getWorkflowSuccessful: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: undefined;
    reply: MetricsReply;
    frame: never;
  };
  getWorkflowFailed: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: undefined;
    reply: MetricsReply;
    frame: never;
  };
  getWorkflowMilliseconds: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: undefined;
    reply: MetricsReply;
    frame: never;
  };
  getWorkflowStateMilliseconds: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: undefined;
    reply: MetricsReply;
    frame: never;
  };
  getWorkflowFlow: {
    path: { readonly namespace: string; readonly node: string };
    query: 'ref' | 'since';
    body: undefined;
    reply: FlowMetricsReply;
    frame: never;
  };
  createDirectory: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: MirrorInput | undefined;
    reply: NamedNodeReply;
    frame: never;
  };
  createWorkflow: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: Bytes;
    reply: StoredRevisionReply;
    frame: never;
  };
  createNodeAttributes: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: AttributesInput;
    reply: undefined;
    frame: never;
  };
  setWorkflowVariable: {
    path: { readonly namespace: string; readonly node: string };
    query: 'var';
    body: Bytes;
    reply: WorkflowVariableReply;
    frame: never;
  };
  updateWorkflow: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: Bytes;
    reply: StoredRevisionReply;
    frame: never;
  };
  validateWorkflow: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: Bytes;
    reply: ProblemsReply;
    frame: never;
  };
  toggleWorkflow: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: ToggleInput;
    reply: undefined;
    frame: never;
  };
  setEventLogging: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: EventLoggingInput;
    reply: undefined;
    frame: never;
  };
  renameNode: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: RenameInput;
    reply: NamedNodeReply;
    frame: never;
  };
  saveWorkflow: {
    path: { readonly namespace: string; readonly node: string };
    query: 'ref';
    body: undefined;
    reply: NodeRevisionReply;
    frame: never;
  };
  discardWorkflow: {
    path: { readonly namespace: string; readonly node: string };
    query: 'ref';
    body: undefined;
    reply: NodeRevisionReply;
    frame: never;
  };
  deleteRevision: {
    path: { readonly namespace: string; readonly node: string };
    query: 'ref';
    body: undefined;
    reply: undefined;
    frame: never;
  };
  tagRevision: {
    path: { readonly namespace: string; readonly node: string };
    query: 'ref' | 'tag';
    body: TagInput | undefined;
    reply: undefined;
    frame: never;
  };
  untagRevision: {
    path: { readonly namespace: string; readonly node: string };
    query: 'ref';
    body: undefined;
    reply: undefined;
    frame: never;
  };
  retagRevision: {
    path: { readonly namespace: string; readonly node: string };
    query: 'ref' | 'tag';
    body: TagInput | undefined;
    reply: undefined;
    frame: never;
  };
  editRouter: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: RouterInput;
    reply: RouterReply;
    frame: never;
  };
  validateRouter: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: undefined;
    reply: RouterVerdictReply;
    frame: never;
  };
  validateRef: {
    path: { readonly namespace: string; readonly node: string };
    query: 'ref';
    body: undefined;
    reply: RefVerdictReply;
    frame: never;
  };
  updateMirror: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: MirrorInput;
    reply: undefined;
    frame: never;
  };
  lockMirror: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: never;
  };
  unlockMirror: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: never;
  };
  syncMirror: {
    path: { readonly namespace: string; readonly node: string };
    query: 'force';
    body: undefined;
    reply: undefined;
    frame: never;
  };
  restoreNode: {
    path: { readonly namespace: string; readonly node: string };
    query: 'cursor' | 'ref';
    body: undefined;
    reply: RestorationReply;
    frame: never;
  };
  executeWorkflow: {
    path: { readonly namespace: string; readonly node: string };
    query: 'ref' | 'scheduled' | 'label.*';
    body: Bytes | undefined;
    reply: StartedReply;
    frame: never;
  };
  waitWorkflowWithBody: {
    path: { readonly namespace: string; readonly node: string };
    query: 'ref' | 'ctype' | 'field' | 'raw-output' | 'input.*' | 'label.*';
    body: Bytes | undefined;
    reply: Blob;
    frame: never;
  };
  deleteNode: {
    path: { readonly namespace: string; readonly node: string };
    query: 'recursive';
    body: undefined;
    reply: undefined;
    frame: never;
  };
  deleteNodeAttributes: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: AttributesInput;
    reply: undefined;
    frame: never;
  };
  deleteWorkflowVariable: {
    path: { readonly namespace: string; readonly node: string };
    query: 'var';
    body: undefined;
    reply: undefined;
    frame: never;
  };
  listInstances: {
    path: { readonly namespace: string };
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before' | 'labels';
    body: undefined;
    reply: InstancesReply;
    frame: InstancesReply;
  };
  listJobs: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: JobsReply;
    frame: never;
  };
  rerunInstances: {
    path: { readonly namespace: string };
    query: 'filter.field' | 'filter.type' | 'filter.val' | 'from' | 'revision';
    body: RerunManyInput | undefined;
    reply: RerunManyReply;
    frame: never;
  };
  createJob: {
    path: { readonly namespace: string };
    query: 'filter.field' | 'filter.type' | 'filter.val';
    body: JobInput;
    reply: JobReply;
    frame: never;
  };
  stopJob: {
    path: { readonly namespace: string };
    query: 'job';
    body: undefined;
    reply: JobReply;
    frame: never;
  };
  getPrices: {
    path: { readonly namespace: string };
    query: 'path';
    body: undefined;
    reply: PricesReply;
    frame: never;
  };
  getInstance: {
    path: { readonly namespace: string; readonly instance: string };
    query: never;
    body: undefined;
    reply: InstanceReply;
    frame: InstanceReply;
  };
  getInstanceSource: {
    path: { readonly namespace: string; readonly instance: string };
    query: never;
    body: undefined;
    reply: InstanceSourceReply;
    frame: never;
  };
  rerunInstance: {
    path: { readonly namespace: string; readonly instance: string };
    query: 'from' | 'revision';
    body: RerunInput | undefined;
    reply: RerunReply;
    frame: never;
  };
  getInstanceInput: {
    path: { readonly namespace: string; readonly instance: string };
    query: never;
    body: undefined;
    reply: InstanceDataReply;
    frame: never;
  };
  getInstanceOutput: {
    path: { readonly namespace: string; readonly instance: string };
    query: never;
    body: undefined;
    reply: InstanceDataReply;
    frame: never;
  };
  getInstanceMetadata: {
    path: { readonly namespace: string; readonly instance: string };
    query: never;
    body: undefined;
    reply: InstanceDataReply;
    frame: never;
  };
  getInstanceTimeline: {
    path: { readonly namespace: string; readonly instance: string };
    query: never;
    body: undefined;
    reply: TimelineReply;
    frame: never;
  };
  getInstanceStep: {
    path: { readonly namespace: string; readonly instance: string; readonly step: string };
    query: never;
    body: undefined;
    reply: TimelineStepReply;
    frame: never;
  };
  getInstanceWaiting: {
    path: { readonly namespace: string; readonly instance: string };
    query: never;
    body: undefined;
    reply: WaitingReply;
    frame: never;
  };
  getInstanceBundle: {
    path: { readonly namespace: string; readonly instance: string };
    query: never;
    body: undefined;
    reply: BundleReply;
    frame: never;
  };
  cancelInstance: {
    path: { readonly namespace: string; readonly instance: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: never;
  };
  listApprovals: {
    path: { readonly namespace: string };
    query: 'workflow' | 'assignee';
    body: undefined;
    reply: ApprovalsReply;
    frame: never;
  };
  getApproval: {
    path: { readonly namespace: string; readonly instance: string };
    query: never;
    body: undefined;
    reply: ApprovalReply;
    frame: never;
  };
  decideApproval: {
    path: { readonly namespace: string; readonly instance: string };
    query: never;
    body: DecisionInput;
    reply: DecisionReply;
    frame: never;
  };
  listQueues: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: QueuesReply;
    frame: never;
  };
  listTasks: {
    path: { readonly namespace: string; readonly queue: string };
    query: never;
    body: undefined;
    reply: QueueReply;
    frame: never;
  };
  pollTasks: {
    path: { readonly namespace: string; readonly queue: string };
    query: never;
    body: PollInput | undefined;
    reply: TasksReply;
    frame: never;
  };
  completeTask: {
    path: { readonly namespace: string; readonly queue: string };
    query: never;
    body: TaskOutputInput;
    reply: TaskStateReply;
    frame: never;
  };
  failTask: {
    path: { readonly namespace: string; readonly queue: string };
    query: never;
    body: TaskFailureInput;
    reply: TaskStateReply;
    frame: never;
  };
  renewTask: {
    path: { readonly namespace: string; readonly queue: string };
    query: never;
    body: TaskLeaseInput;
    reply: TaskStateReply;
    frame: never;
  };
  listNamespaceVariables: {
    path: { readonly namespace: string };
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: NamespaceVariablesReply;
    frame: NamespaceVariablesReply;
  };
  getNamespaceVariable: {
    path: { readonly namespace: string; readonly variable: string };
    query: never;
    body: undefined;
    reply: Blob;
    frame: never;
  };
  setNamespaceVariable: {
    path: { readonly namespace: string; readonly variable: string };
    query: never;
    body: Bytes;
    reply: NamespaceVariableReply;
    frame: never;
  };
  deleteNamespaceVariable: {
    path: { readonly namespace: string; readonly variable: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: never;
  };
  listInstanceVariables: {
    path: { readonly namespace: string; readonly instance: string };
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: InstanceVariablesReply;
    frame: InstanceVariablesReply;
  };
  getInstanceVariable: {
    path: { readonly namespace: string; readonly instance: string; readonly variable: string };
    query: never;
    body: undefined;
    reply: Blob;
    frame: never;
  };
  setInstanceVariable: {
    path: { readonly namespace: string; readonly instance: string; readonly variable: string };
    query: never;
    body: Bytes;
    reply: InstanceVariableReply;
    frame: never;
  };
  deleteInstanceVariable: {
    path: { readonly namespace: string; readonly instance: string; readonly variable: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: never;
  };
  listSecrets: {
    path: { readonly namespace: string };
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: SecretsReply;
    frame: SecretsReply;
  };
  searchSecrets: {
    path: { readonly namespace: string };
    query: 'term' | 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: SecretsReply;
    frame: never;
  };
  listSecretFolder: {
    path: { readonly namespace: string; readonly secret: string };
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: SecretsReply;
    frame: SecretsReply;
  };
  createSecret: {
    path: { readonly namespace: string; readonly secret: string };
    query: 'reference' | 'cache';
    body: Bytes;
    reply: SecretReply;
    frame: never;
  };
  overwriteSecret: {
    path: { readonly namespace: string; readonly secret: string };
    query: 'reference' | 'cache';
    body: Bytes;
    reply: SecretReply;
    frame: never;
  };
  deleteSecret: {
    path: { readonly namespace: string; readonly secret: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: never;
  };
  listGlobalRegistries: {
    path: Empty;
    query: never;
    body: undefined;
    reply: RegistriesReply;
    frame: never;
  };
  createGlobalRegistry: {
    path: Empty;
    query: never;
    body: RegistryInput;
    reply: undefined;
    frame: never;
  };
  deleteGlobalRegistry: {
    path: Empty;
    query: never;
    body: RegistryNameInput;
    reply: undefined;
    frame: never;
  };
  listPrivateRegistries: {
    path: Empty;
    query: never;
    body: undefined;
    reply: RegistriesReply;
    frame: never;
  };
  createPrivateRegistry: {
    path: Empty;
    query: never;
    body: RegistryInput;
    reply: undefined;
    frame: never;
  };
  deletePrivateRegistry: {
    path: Empty;
    query: never;
    body: RegistryNameInput;
    reply: undefined;
    frame: never;
  };
  listNamespaceRegistries: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: RegistriesReply;
    frame: never;
  };
  createNamespaceRegistry: {
    path: { readonly namespace: string };
    query: never;
    body: RegistryInput;
    reply: undefined;
    frame: never;
  };
  deleteNamespaceRegistry: {
    path: { readonly namespace: string };
    query: never;
    body: RegistryNameInput;
    reply: undefined;
    frame: never;
  };
  testRegistry: {
    path: Empty;
    query: never;
    body: RegistryTestInput;
    reply: RegistryTestReply;
    frame: never;
  };
  listGlobalServices: {
    path: Empty;
    query: never;
    body: undefined;
    reply: ServicesReply;
    frame: ServiceFrameReply;
  };
  createGlobalService: {
    path: Empty;
    query: never;
    body: ServiceInput;
    reply: undefined;
    frame: never;
  };
  getGlobalService: {
    path: { readonly service: string };
    query: never;
    body: undefined;
    reply: ServiceReply;
    frame: ServiceFrameReply;
  };
  createGlobalServiceRevision: {
    path: { readonly service: string };
    query: never;
    body: ServiceRevisionInput;
    reply: undefined;
    frame: never;
  };
  setGlobalServiceTraffic: {
    path: { readonly service: string };
    query: never;
    body: TrafficInput;
    reply: undefined;
    frame: never;
  };
  deleteGlobalService: {
    path: { readonly service: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: never;
  };
  watchGlobalServiceRevisions: {
    path: { readonly service: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: RevisionFrameReply;
  };
  watchGlobalServiceRevision: {
    path: { readonly service: string; readonly revision: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: RevisionFrameReply;
  };
  deleteGlobalServiceRevision: {
    path: { readonly service: string; readonly revision: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: never;
  };
  listGlobalServicePods: {
    path: { readonly service: string; readonly revision: string };
    query: never;
    body: undefined;
    reply: PodsReply;
    frame: PodFrameReply;
  };
  watchPodLogs: {
    path: { readonly pod: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: PodLogFrameReply;
  };
  listNamespaceServices: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: ServicesReply;
    frame: ServiceFrameReply;
  };
  createNamespaceService: {
    path: { readonly namespace: string };
    query: never;
    body: ServiceInput;
    reply: undefined;
    frame: never;
  };
  getNamespaceService: {
    path: { readonly namespace: string; readonly service: string };
    query: never;
    body: undefined;
    reply: ServiceReply;
    frame: ServiceFrameReply;
  };
  createNamespaceServiceRevision: {
    path: { readonly namespace: string; readonly service: string };
    query: never;
    body: ServiceRevisionInput;
    reply: undefined;
    frame: never;
  };
  setNamespaceServiceTraffic: {
    path: { readonly namespace: string; readonly service: string };
    query: never;
    body: TrafficInput;
    reply: undefined;
    frame: never;
  };
  deleteNamespaceService: {
    path: { readonly namespace: string; readonly service: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: never;
  };
  watchNamespaceServiceRevisions: {
    path: { readonly namespace: string; readonly service: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: RevisionFrameReply;
  };
  watchNamespaceServiceRevision: {
    path: { readonly namespace: string; readonly service: string; readonly revision: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: RevisionFrameReply;
  };
  deleteNamespaceServiceRevision: {
    path: { readonly namespace: string; readonly service: string; readonly revision: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: never;
  };
  listNamespaceServicePods: {
    path: { readonly namespace: string; readonly service: string; readonly revision: string };
    query: never;
    body: undefined;
    reply: PodsReply;
    frame: PodFrameReply;
  };
  listWorkflowServices: {
    path: { readonly namespace: string; readonly node: string };
    query: never;
    body: undefined;
    reply: ServicesReply;
    frame: ServiceFrameReply;
  };
  watchWorkflowService: {
    path: { readonly namespace: string; readonly node: string };
    query: 'svn' | 'version';
    body: undefined;
    reply: ServiceFrameReply;
    frame: ServiceFrameReply;
  };
  listWorkflowServiceRevisions: {
    path: { readonly namespace: string; readonly node: string };
    query: 'svn' | 'version';
    body: undefined;
    reply: ServiceRevisionsReply;
    frame: RevisionFrameReply;
  };
  getWorkflowServiceRevision: {
    path: { readonly namespace: string; readonly node: string };
    query: 'svn' | 'version' | 'rev';
    body: undefined;
    reply: RevisionFrameReply;
    frame: RevisionFrameReply;
  };
  listWorkflowServicePods: {
    path: { readonly namespace: string; readonly node: string };
    query: 'svn' | 'version' | 'rev';
    body: undefined;
    reply: PodsReply;
    frame: PodFrameReply;
  };
  deleteWorkflowService: {
    path: { readonly namespace: string; readonly node: string };
    query: 'svn' | 'version';
    body: undefined;
    reply: undefined;
    frame: never;
  };
  listAudit: {
    path: Empty;
    query: 'namespace' | 'actor' | 'start' | 'end' | 'limit' | 'cursor';
    body: undefined;
    reply: AuditReply;
    frame: never;
  };
  getServerLogs: {
    path: Empty;
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: ServerLogsReply;
    frame: ServerLogsReply;
  };
  getNamespaceLogs: {
    path: { readonly namespace: string };
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: NamespaceLogsReply;
    frame: NamespaceLogsReply;
  };
  getInstanceLogs: {
    path: { readonly namespace: string; readonly instance: string };
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: InstanceLogsReply;
    frame: InstanceLogsReply;
  };
  getNamespaceInvoked: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: MetricsReply;
    frame: never;
  };
  getNamespaceSuccessful: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: MetricsReply;
    frame: never;
  };
  getNamespaceFailed: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: MetricsReply;
    frame: never;
  };
  getNamespaceMilliseconds: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: MetricsReply;
    frame: never;
  };
  getNamespaceWorkers: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: MetricsReply;
    frame: never;
  };
  broadcastEvent: {
    path: { readonly namespace: string };
    query: never;
    body: Bytes;
    reply: undefined;
    frame: never;
  };
  broadcastEventThroughFilter: {
    path: { readonly namespace: string; readonly filter: string };
    query: never;
    body: Bytes;
    reply: undefined;
    frame: never;
  };
  listEvents: {
    path: { readonly namespace: string };
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: EventsReply;
    frame: EventsReply;
  };
  replayEvent: {
    path: { readonly namespace: string; readonly event: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: never;
  };
  explainEvent: {
    path: { readonly namespace: string; readonly event: string };
    query: never;
    body: undefined;
    reply: ExplanationReply;
    frame: never;
  };
  listEventListeners: {
    path: { readonly namespace: string };
    query: 'limit' | 'offset' | 'order.field' | 'order.direction' | 'filter.field' | 'filter.type' | 'filter.val' | 'first' | 'after' | 'last' | 'before';
    body: undefined;
    reply: ListenersReply;
    frame: ListenersReply;
  };
  listFailedDeliveries: {
    path: { readonly namespace: string };
    query: 'limit' | 'offset';
    body: undefined;
    reply: FailedDeliveriesReply;
    frame: never;
  };
  redeliverAll: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: RedeliveredReply;
    frame: never;
  };
  redeliverOne: {
    path: { readonly namespace: string; readonly delivery: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: never;
  };
  deleteFailedDelivery: {
    path: { readonly namespace: string; readonly delivery: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: never;
  };
  listEventFilters: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: EventFiltersReply;
    frame: never;
  };
  getEventFilter: {
    path: { readonly namespace: string; readonly filter: string };
    query: never;
    body: undefined;
    reply: EventFilterReply;
    frame: never;
  };
  createEventFilter: {
    path: { readonly namespace: string; readonly filter: string };
    query: never;
    body: Bytes;
    reply: undefined;
    frame: never;
  };
  updateEventFilter: {
    path: { readonly namespace: string; readonly filter: string };
    query: never;
    body: Bytes;
    reply: undefined;
    frame: never;
  };
  deleteEventFilter: {
    path: { readonly namespace: string; readonly filter: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: never;
  };
  listWebhooks: {
    path: { readonly namespace: string };
    query: never;
    body: undefined;
    reply: WebhooksReply;
    frame: never;
  };
  receiveWebhookByGet: {
    path: { readonly hook: string };
    query: never;
    body: undefined;
    reply: Blob;
    frame: never;
  };
  receiveWebhookByPut: {
    path: { readonly hook: string };
    query: never;
    body: Bytes | undefined;
    reply: Blob;
    frame: never;
  };
  receiveWebhook: {
    path: { readonly hook: string };
    query: never;
    body: Bytes | undefined;
    reply: Blob;
    frame: never;
  };
  getVersion: {
    path: Empty;
    query: never;
    body: undefined;
    reply: VersionReply;
    frame: never;
  };
  runJq: {
    path: Empty;
    query: never;
    body: JqInput;
    reply: JqResultsReply;
    frame: never;
  };
  getDescription: {
    path: Empty;
    query: never;
    body: undefined;
    reply: DescriptionReply;
    frame: never;
  };
  getWorkflowSchema: {
    path: Empty;
    query: never;
    body: undefined;
    reply: JsonSchemaReply;
    frame: never;
  };
  getSignIn: {
    path: Empty;
    query: never;
    body: undefined;
    reply: SignInReply;
    frame: never;
  };
  redeemSignIn: {
    path: Empty;
    query: never;
    body: SignInInput;
    reply: SignedInReply;
    frame: never;
  };
  listKeys: {
    path: Empty;
    query: never;
    body: undefined;
    reply: KeysReply;
    frame: never;
  };
  createKey: {
    path: Empty;
    query: never;
    body: KeyInput;
    reply: NewKeyReply;
    frame: never;
  };
  getOwnKey: {
    path: Empty;
    query: never;
    body: undefined;
    reply: OwnKeyReply;
    frame: never;
  };
  deleteKey: {
    path: { readonly key: string };
    query: never;
    body: undefined;
    reply: undefined;
    frame: never;
  };
}

/** Method, path below /api, `op`, the permission that a key needs, and how the reply is read. */
export const operations = {
  listNamespaces: { method: 'GET', path: '/namespaces', permission: 'read', reply: 'json' },
  createNamespace: { method: 'PUT', path: '/namespaces/{namespace}', permission: 'admin', reply: 'json' },
  deleteNamespace: { method: 'DELETE', path: '/namespaces/{namespace}', permission: 'admin', reply: 'none' },
  getConfig: { method: 'GET', path: '/namespaces/{namespace}/config', permission: 'read', reply: 'json' },
  setConfig: { method: 'PATCH', path: '/namespaces/{namespace}/config', permission: 'write', reply: 'json' },
  getWorkflowsDescription: { method: 'GET', path: '/namespaces/{namespace}/openapi.json', permission: 'read', reply: 'json' },
  getUsage: { method: 'GET', path: '/namespaces/{namespace}/usage', permission: 'read', reply: 'json' },
  listSchedules: { method: 'GET', path: '/namespaces/{namespace}/schedules', permission: 'read', reply: 'json' },
  getDefinitions: { method: 'GET', path: '/namespaces/{namespace}/definitions', permission: 'read', reply: 'json' },
  getNode: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', permission: 'read', reply: 'json' },
  getMachine: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'machine', permission: 'read', reply: 'json' },
  listRefs: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'refs', permission: 'read', reply: 'json' },
  listRevisions: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'revisions', permission: 'read', reply: 'json' },
  listTags: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'tags', permission: 'read', reply: 'json' },
  listHistory: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'history', permission: 'read', reply: 'json' },
  getRouter: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'router', permission: 'read', reply: 'json' },
  getMirror: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'mirror-info', permission: 'read', reply: 'json' },
  listDeletions: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'deletions', permission: 'read', reply: 'json' },
  waitWorkflow: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'wait', permission: 'run', reply: 'bytes' },
  listWorkflowVariables: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'vars', permission: 'read', reply: 'json' },
  getWorkflowVariable: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'var', permission: 'read', reply: 'bytes' },
  getWorkflowLogs: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'logs', permission: 'read', reply: 'json' },
  getWorkflowInvoked: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'metrics-invoked', permission: 'read', reply: 'json' },
  getWorkflowSuccessful: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'metrics-successful', permission: 'read', reply: 'json' },
  getWorkflowFailed: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'metrics-failed', permission: 'read', reply: 'json' },
  getWorkflowMilliseconds: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'metrics-milliseconds', permission: 'read', reply: 'json' },
  getWorkflowStateMilliseconds: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'metrics-state-milliseconds', permission: 'read', reply: 'json' },
  getWorkflowFlow: { method: 'GET', path: '/namespaces/{namespace}/tree/{node}', op: 'metrics-sankey', permission: 'read', reply: 'json' },
  createDirectory: { method: 'PUT', path: '/namespaces/{namespace}/tree/{node}', op: 'create-directory', permission: 'write', reply: 'json' },
  createWorkflow: { method: 'PUT', path: '/namespaces/{namespace}/tree/{node}', op: 'create-workflow', permission: 'write', reply: 'json' },
  createNodeAttributes: { method: 'PUT', path: '/namespaces/{namespace}/tree/{node}', op: 'create-node-attributes', permission: 'write', reply: 'none' },
  setWorkflowVariable: { method: 'PUT', path: '/namespaces/{namespace}/tree/{node}', op: 'set-var', permission: 'write', reply: 'json' },
  updateWorkflow: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'update-workflow', permission: 'write', reply: 'json' },
  validateWorkflow: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'validate', permission: 'read', reply: 'json' },
  toggleWorkflow: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'toggle', permission: 'write', reply: 'none' },
  setEventLogging: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'set-workflow-event-logging', permission: 'write', reply: 'none' },
  renameNode: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'rename-node', permission: 'write', reply: 'json' },
  saveWorkflow: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'save-workflow', permission: 'write', reply: 'json' },
  discardWorkflow: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'discard-workflow', permission: 'write', reply: 'json' },
  deleteRevision: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'delete-revision', permission: 'write', reply: 'none' },
  tagRevision: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'tag', permission: 'write', reply: 'none' },
  untagRevision: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'untag', permission: 'write', reply: 'none' },
  retagRevision: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'retag', permission: 'write', reply: 'none' },
  editRouter: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'edit-router', permission: 'write', reply: 'json' },
  validateRouter: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'validate-router', permission: 'read', reply: 'json' },
  validateRef: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'validate-ref', permission: 'read', reply: 'json' },
  updateMirror: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'update-mirror', permission: 'write', reply: 'none' },
  lockMirror: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'lock-mirror', permission: 'write', reply: 'none' },
  unlockMirror: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'unlock-mirror', permission: 'write', reply: 'none' },
  syncMirror: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'sync-mirror', permission: 'write', reply: 'none' },
  restoreNode: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'restore', permission: 'write', reply: 'json' },
  executeWorkflow: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'execute', permission: 'run', reply: 'json' },
  waitWorkflowWithBody: { method: 'POST', path: '/namespaces/{namespace}/tree/{node}', op: 'wait', permission: 'run', reply: 'bytes' },
  deleteNode: { method: 'DELETE', path: '/namespaces/{namespace}/tree/{node}', op: 'delete-node', permission: 'write', reply: 'none' },
  deleteNodeAttributes: { method: 'DELETE', path: '/namespaces/{namespace}/tree/{node}', op: 'delete-node-attributes', permission: 'write', reply: 'none' },
  deleteWorkflowVariable: { method: 'DELETE', path: '/namespaces/{namespace}/tree/{node}', op: 'delete-var', permission: 'write', reply: 'none' },
  listInstances: { method: 'GET', path: '/namespaces/{namespace}/instances', permission: 'read', reply: 'json' },
  listJobs: { method: 'GET', path: '/namespaces/{namespace}/instances', op: 'jobs', permission: 'read', reply: 'json' },
  rerunInstances: { method: 'POST', path: '/namespaces/{namespace}/instances', op: 'rerun', permission: 'run', reply: 'json' },
  createJob: { method: 'POST', path: '/namespaces/{namespace}/instances', op: 'job', permission: 'run', reply: 'json' },
  stopJob: { method: 'POST', path: '/namespaces/{namespace}/instances', op: 'stop-job', permission: 'run', reply: 'json' },
  getPrices: { method: 'GET', path: '/namespaces/{namespace}/prices', permission: 'read', reply: 'json' },
  getInstance: { method: 'GET', path: '/namespaces/{namespace}/instances/{instance}', permission: 'read', reply: 'json' },
  getInstanceSource: { method: 'GET', path: '/namespaces/{namespace}/instances/{instance}', op: 'source', permission: 'read', reply: 'json' },
  rerunInstance: { method: 'POST', path: '/namespaces/{namespace}/instances/{instance}', op: 'rerun', permission: 'run', reply: 'json' },
  getInstanceInput: { method: 'GET', path: '/namespaces/{namespace}/instances/{instance}/input', permission: 'read', reply: 'json' },
  getInstanceOutput: { method: 'GET', path: '/namespaces/{namespace}/instances/{instance}/output', permission: 'read', reply: 'json' },
  getInstanceMetadata: { method: 'GET', path: '/namespaces/{namespace}/instances/{instance}/metadata', permission: 'read', reply: 'json' },
  getInstanceTimeline: { method: 'GET', path: '/namespaces/{namespace}/instances/{instance}/timeline', permission: 'read', reply: 'json' },
  getInstanceStep: { method: 'GET', path: '/namespaces/{namespace}/instances/{instance}/steps/{step}', permission: 'read', reply: 'json' },
  getInstanceWaiting: { method: 'GET', path: '/namespaces/{namespace}/instances/{instance}/waiting', permission: 'read', reply: 'json' },
  getInstanceBundle: { method: 'GET', path: '/namespaces/{namespace}/instances/{instance}/bundle', permission: 'read', reply: 'json' },
  cancelInstance: { method: 'POST', path: '/namespaces/{namespace}/instances/{instance}/cancel', permission: 'run', reply: 'none' },
  listApprovals: { method: 'GET', path: '/namespaces/{namespace}/approvals', permission: 'read', reply: 'json' },
  getApproval: { method: 'GET', path: '/namespaces/{namespace}/approvals/{instance}', permission: 'read', reply: 'json' },
  decideApproval: { method: 'POST', path: '/namespaces/{namespace}/approvals/{instance}', permission: 'run', reply: 'json' },
  listQueues: { method: 'GET', path: '/namespaces/{namespace}/workers', permission: 'read', reply: 'json' },
  listTasks: { method: 'GET', path: '/namespaces/{namespace}/workers/{queue}', permission: 'read', reply: 'json' },
  pollTasks: { method: 'POST', path: '/namespaces/{namespace}/workers/{queue}', op: 'poll', permission: 'worker', reply: 'json' },
  completeTask: { method: 'POST', path: '/namespaces/{namespace}/workers/{queue}', op: 'complete', permission: 'worker', reply: 'json' },
  failTask: { method: 'POST', path: '/namespaces/{namespace}/workers/{queue}', op: 'fail', permission: 'worker', reply: 'json' },
  renewTask: { method: 'POST', path: '/namespaces/{namespace}/workers/{queue}', op: 'heartbeat', permission: 'worker', reply: 'json' },
  listNamespaceVariables: { method: 'GET', path: '/namespaces/{namespace}/vars', permission: 'read', reply: 'json' },
  getNamespaceVariable: { method: 'GET', path: '/namespaces/{namespace}/vars/{variable}', permission: 'read', reply: 'bytes' },
  setNamespaceVariable: { method: 'PUT', path: '/namespaces/{namespace}/vars/{variable}', permission: 'write', reply: 'json' },
  deleteNamespaceVariable: { method: 'DELETE', path: '/namespaces/{namespace}/vars/{variable}', permission: 'write', reply: 'none' },
  listInstanceVariables: { method: 'GET', path: '/namespaces/{namespace}/instances/{instance}/vars', permission: 'read', reply: 'json' },
  getInstanceVariable: { method: 'GET', path: '/namespaces/{namespace}/instances/{instance}/vars/{variable}', permission: 'read', reply: 'bytes' },
  setInstanceVariable: { method: 'PUT', path: '/namespaces/{namespace}/instances/{instance}/vars/{variable}', permission: 'write', reply: 'json' },
  deleteInstanceVariable: { method: 'DELETE', path: '/namespaces/{namespace}/instances/{instance}/vars/{variable}', permission: 'write', reply: 'none' },
  listSecrets: { method: 'GET', path: '/namespaces/{namespace}/secrets', permission: 'read', reply: 'json' },
  searchSecrets: { method: 'GET', path: '/namespaces/{namespace}/secrets', op: 'search', permission: 'read', reply: 'json' },
  listSecretFolder: { method: 'GET', path: '/namespaces/{namespace}/secrets/{secret}', permission: 'read', reply: 'json' },
  createSecret: { method: 'PUT', path: '/namespaces/{namespace}/secrets/{secret}', permission: 'write', reply: 'json' },
  overwriteSecret: { method: 'PATCH', path: '/namespaces/{namespace}/secrets/{secret}', permission: 'write', reply: 'json' },
  deleteSecret: { method: 'DELETE', path: '/namespaces/{namespace}/secrets/{secret}', permission: 'write', reply: 'none' },
  listGlobalRegistries: { method: 'GET', path: '/functions/registries/global', permission: 'read', reply: 'json' },
  createGlobalRegistry: { method: 'POST', path: '/functions/registries/global', permission: 'admin', reply: 'none' },
  deleteGlobalRegistry: { method: 'DELETE', path: '/functions/registries/global', permission: 'admin', reply: 'none' },
  listPrivateRegistries: { method: 'GET', path: '/functions/registries/private', permission: 'read', reply: 'json' },
  createPrivateRegistry: { method: 'POST', path: '/functions/registries/private', permission: 'admin', reply: 'none' },
  deletePrivateRegistry: { method: 'DELETE', path: '/functions/registries/private', permission: 'admin', reply: 'none' },
  listNamespaceRegistries: { method: 'GET', path: '/functions/registries/namespaces/{namespace}', permission: 'read', reply: 'json' },
  createNamespaceRegistry: { method: 'POST', path: '/functions/registries/namespaces/{namespace}', permission: 'write', reply: 'none' },
  deleteNamespaceRegistry: { method: 'DELETE', path: '/functions/registries/namespaces/{namespace}', permission: 'write', reply: 'none' },
  testRegistry: { method: 'POST', path: '/functions/registries/test', permission: 'write', reply: 'json' },
  listGlobalServices: { method: 'GET', path: '/functions', permission: 'read', reply: 'json' },
  createGlobalService: { method: 'POST', path: '/functions', permission: 'admin', reply: 'none' },
  getGlobalService: { method: 'GET', path: '/functions/{service}', permission: 'read', reply: 'json' },
  createGlobalServiceRevision: { method: 'POST', path: '/functions/{service}', permission: 'admin', reply: 'none' },
  setGlobalServiceTraffic: { method: 'PATCH', path: '/functions/{service}', permission: 'admin', reply: 'none' },
  deleteGlobalService: { method: 'DELETE', path: '/functions/{service}', permission: 'admin', reply: 'none' },
  watchGlobalServiceRevisions: { method: 'GET', path: '/functions/{service}/revisions', permission: 'read', reply: 'none' },
  watchGlobalServiceRevision: { method: 'GET', path: '/functions/{service}/revisions/{revision}', permission: 'read', reply: 'none' },
  deleteGlobalServiceRevision: { method: 'DELETE', path: '/functions/{service}/revisions/{revision}', permission: 'admin', reply: 'none' },
  listGlobalServicePods: { method: 'GET', path: '/functions/{service}/revisions/{revision}/pods', permission: 'read', reply: 'json' },
  watchPodLogs: { method: 'GET', path: '/functions/logs/pod/{pod}', permission: 'read', reply: 'none' },
  listNamespaceServices: { method: 'GET', path: '/functions/namespaces/{namespace}', permission: 'read', reply: 'json' },
  createNamespaceService: { method: 'POST', path: '/functions/namespaces/{namespace}', permission: 'write', reply: 'none' },
  getNamespaceService: { method: 'GET', path: '/functions/namespaces/{namespace}/function/{service}', permission: 'read', reply: 'json' },
  createNamespaceServiceRevision: { method: 'POST', path: '/functions/namespaces/{namespace}/function/{service}', permission: 'write', reply: 'none' },
  setNamespaceServiceTraffic: { method: 'PATCH', path: '/functions/namespaces/{namespace}/function/{service}', permission: 'write', reply: 'none' },
  deleteNamespaceService: { method: 'DELETE', path: '/functions/namespaces/{namespace}/function/{service}', permission: 'write', reply: 'none' },
  watchNamespaceServiceRevisions: { method: 'GET', path: '/functions/namespaces/{namespace}/function/{service}/revisions', permission: 'read', reply: 'none' },
  watchNamespaceServiceRevision: { method: 'GET', path: '/functions/namespaces/{namespace}/function/{service}/revisions/{revision}', permission: 'read', reply: 'none' },
  deleteNamespaceServiceRevision: { method: 'DELETE', path: '/functions/namespaces/{namespace}/function/{service}/revisions/{revision}', permission: 'write', reply: 'none' },
  listNamespaceServicePods: { method: 'GET', path: '/functions/namespaces/{namespace}/function/{service}/revisions/{revision}/pods', permission: 'read', reply: 'json' },
  listWorkflowServices: { method: 'GET', path: '/functions/namespaces/{namespace}/tree/{node}', op: 'services', permission: 'read', reply: 'json' },
  watchWorkflowService: { method: 'GET', path: '/functions/namespaces/{namespace}/tree/{node}', op: 'function', permission: 'read', reply: 'json' },
  listWorkflowServiceRevisions: { method: 'GET', path: '/functions/namespaces/{namespace}/tree/{node}', op: 'function-revisions', permission: 'read', reply: 'json' },
  getWorkflowServiceRevision: { method: 'GET', path: '/functions/namespaces/{namespace}/tree/{node}', op: 'function-revision', permission: 'read', reply: 'json' },
  listWorkflowServicePods: { method: 'GET', path: '/functions/namespaces/{namespace}/tree/{node}', op: 'pods', permission: 'read', reply: 'json' },
  deleteWorkflowService: { method: 'DELETE', path: '/functions/namespaces/{namespace}/tree/{node}', op: 'delete-service', permission: 'write', reply: 'none' },
  listAudit: { method: 'GET', path: '/audit', permission: 'admin', reply: 'json' },
  getServerLogs: { method: 'GET', path: '/logs', permission: 'admin', reply: 'json' },
  getNamespaceLogs: { method: 'GET', path: '/namespaces/{namespace}/logs', permission: 'read', reply: 'json' },
  getInstanceLogs: { method: 'GET', path: '/namespaces/{namespace}/instances/{instance}/logs', permission: 'read', reply: 'json' },
  getNamespaceInvoked: { method: 'GET', path: '/namespaces/{namespace}/metrics/invoked', permission: 'read', reply: 'json' },
  getNamespaceSuccessful: { method: 'GET', path: '/namespaces/{namespace}/metrics/successful', permission: 'read', reply: 'json' },
  getNamespaceFailed: { method: 'GET', path: '/namespaces/{namespace}/metrics/failed', permission: 'read', reply: 'json' },
  getNamespaceMilliseconds: { method: 'GET', path: '/namespaces/{namespace}/metrics/milliseconds', permission: 'read', reply: 'json' },
  getNamespaceWorkers: { method: 'GET', path: '/namespaces/{namespace}/metrics/workers', permission: 'read', reply: 'json' },
  broadcastEvent: { method: 'POST', path: '/namespaces/{namespace}/broadcast', permission: 'run', reply: 'none' },
  broadcastEventThroughFilter: { method: 'POST', path: '/namespaces/{namespace}/broadcast/{filter}', permission: 'run', reply: 'none' },
  listEvents: { method: 'GET', path: '/namespaces/{namespace}/events', permission: 'read', reply: 'json' },
  replayEvent: { method: 'POST', path: '/namespaces/{namespace}/events/{event}/replay', permission: 'run', reply: 'none' },
  explainEvent: { method: 'GET', path: '/namespaces/{namespace}/events/{event}/explain', permission: 'read', reply: 'json' },
  listEventListeners: { method: 'GET', path: '/namespaces/{namespace}/event-listeners', permission: 'read', reply: 'json' },
  listFailedDeliveries: { method: 'GET', path: '/namespaces/{namespace}/failed-deliveries', permission: 'read', reply: 'json' },
  redeliverAll: { method: 'POST', path: '/namespaces/{namespace}/failed-deliveries/redeliver', permission: 'run', reply: 'json' },
  redeliverOne: { method: 'POST', path: '/namespaces/{namespace}/failed-deliveries/{delivery}/redeliver', permission: 'run', reply: 'none' },
  deleteFailedDelivery: { method: 'DELETE', path: '/namespaces/{namespace}/failed-deliveries/{delivery}', permission: 'write', reply: 'none' },
  listEventFilters: { method: 'GET', path: '/namespaces/{namespace}/eventfilter', permission: 'read', reply: 'json' },
  getEventFilter: { method: 'GET', path: '/namespaces/{namespace}/eventfilter/{filter}', permission: 'read', reply: 'json' },
  createEventFilter: { method: 'POST', path: '/namespaces/{namespace}/eventfilter/{filter}', permission: 'write', reply: 'none' },
  updateEventFilter: { method: 'PATCH', path: '/namespaces/{namespace}/eventfilter/{filter}', permission: 'write', reply: 'none' },
  deleteEventFilter: { method: 'DELETE', path: '/namespaces/{namespace}/eventfilter/{filter}', permission: 'write', reply: 'none' },
  listWebhooks: { method: 'GET', path: '/namespaces/{namespace}/webhooks', permission: 'read', reply: 'json' },
  receiveWebhookByGet: { method: 'GET', path: '/hooks/{hook}', permission: 'none', reply: 'bytes' },
  receiveWebhookByPut: { method: 'PUT', path: '/hooks/{hook}', permission: 'none', reply: 'bytes' },
  receiveWebhook: { method: 'POST', path: '/hooks/{hook}', permission: 'none', reply: 'bytes' },
  getVersion: { method: 'GET', path: '/version', permission: 'read', reply: 'json' },
  runJq: { method: 'POST', path: '/jq', permission: 'read', reply: 'json' },
  getDescription: { method: 'GET', path: '/openapi.json', permission: 'none', reply: 'json' },
  getWorkflowSchema: { method: 'GET', path: '/schema/workflow.json', permission: 'none', reply: 'json' },
  getSignIn: { method: 'GET', path: '/sign-in', permission: 'none', reply: 'json' },
  redeemSignIn: { method: 'POST', path: '/sign-in', permission: 'none', reply: 'json' },
  listKeys: { method: 'GET', path: '/keys', permission: 'admin', reply: 'json' },
  createKey: { method: 'POST', path: '/keys', permission: 'admin', reply: 'json' },
  getOwnKey: { method: 'GET', path: '/keys/own', permission: 'read', reply: 'json' },
  deleteKey: { method: 'DELETE', path: '/keys/{key}', permission: 'admin', reply: 'none' },
} as const;
