import type * as z from 'zod/mini';
import * as events from './events.ts';
import * as instances from './instances.ts';
import * as logs from './logs.ts';
import * as metrics from './metrics.ts';
import * as namespaces from './namespaces.ts';
import { pageInfo } from './pages.ts';
import * as secrets from './secrets.ts';
import * as services from './services.ts';
import * as system from './system.ts';
import * as tasks from './tasks.ts';
import * as tree from './tree.ts';
import * as variables from './variables.ts';

/** The JSON bodies of replies and of stream frames, by the name that routes use. */
export const replies = {
  namespaces: namespaces.namespaces,
  namespace: namespaces.namespace,
  config: namespaces.config,
  usage: namespaces.usage,
  schedules: namespaces.schedules,
  definitions: namespaces.definitions,
  directoryOrWorkflow: tree.directoryOrWorkflow,
  namedNode: tree.namedNode,
  nodeRevision: tree.nodeRevision,
  storedRevision: tree.storedRevision,
  problems: tree.problems,
  refs: tree.refs,
  history: tree.history,
  router: tree.router,
  routerVerdict: tree.routerVerdict,
  refVerdict: tree.refVerdict,
  machine: tree.machine,
  mirror: tree.mirror,
  started: instances.started,
  instances: instances.instances,
  instance: instances.instance,
  instanceData: instances.instanceData,
  timeline: instances.timeline,
  timelineStep: instances.timelineStep,
  waiting: instances.waiting,
  approvals: events.approvals,
  approval: events.approval,
  decision: events.decision,
  webhooks: events.webhooks,
  prices: metrics.prices,
  instanceSource: instances.instanceSource,
  bundle: instances.bundle,
  rerun: instances.rerun,
  rerunMany: instances.rerunMany,
  tasks: tasks.tasks,
  taskState: tasks.taskState,
  queues: tasks.queues,
  queue: tasks.queue,
  namespaceVariables: variables.namespaceVariables,
  workflowVariables: variables.workflowVariables,
  instanceVariables: variables.instanceVariables,
  namespaceVariable: variables.namespaceVariable,
  workflowVariable: variables.workflowVariable,
  instanceVariable: variables.instanceVariable,
  secrets: secrets.secrets,
  secret: secrets.secret,
  registries: secrets.registries,
  registryTest: secrets.registryTest,
  services: services.services,
  service: services.service,
  serviceRevisions: services.serviceRevisions,
  pods: services.pods,
  serviceFrame: services.serviceFrame,
  revisionFrame: services.revisionFrame,
  podFrame: services.podFrame,
  podLogFrame: services.podLogFrame,
  audit: logs.audit,
  serverLogs: logs.serverLogs,
  namespaceLogs: logs.namespaceLogs,
  workflowLogs: logs.workflowLogs,
  instanceLogs: logs.instanceLogs,
  metrics: metrics.metrics,
  flowMetrics: metrics.flowMetrics,
  events: events.events,
  explanation: events.explanation,
  listeners: events.listeners,
  failedDeliveries: events.failedDeliveries,
  redelivered: events.redelivered,
  eventFilters: events.eventFilters,
  eventFilter: events.eventFilter,
  version: system.version,
  jqResults: system.jqResults,
  description: system.description,
  jsonSchema: system.jsonSchema,
  keys: system.keys,
  ownKey: system.ownKey,
  newKey: system.newKey,
} as const satisfies Record<string, z.ZodMiniType>;

/** Parts of replies that the OpenAPI description defines once by name. */
export const records = {
  pageInfo,
  namespaceRecord: namespaces.namespaceRecord,
  node: tree.node,
  revision: tree.revision,
  directory: tree.directory,
  workflow: tree.workflow,
  instanceRecord: instances.instanceRecord,
  instanceRow: instances.instanceRow,
  step: instances.step,
  variable: variables.variable,
  secretRecord: secrets.secretRecord,
  registry: secrets.registry,
  serviceRecord: services.serviceRecord,
  serviceRevision: services.serviceRevision,
  condition: services.condition,
  pod: services.pod,
  logLine: logs.logLine,
  auditEntry: logs.auditEntry,
  eventRecord: events.eventRecord,
  listener: events.listener,
  failedDelivery: events.failedDelivery,
  keyRecord: system.keyRecord,
  failure: system.failure,
} as const satisfies Record<string, z.ZodMiniType>;

/** `empty` is a reply without body and content type; `bytes` is a body of any type, without conversion. */
export type ReplyName = keyof typeof replies | 'empty' | 'bytes';
