# Made from docs/openapi.json by `npm run docs`.
from typing import Any, Dict, List, Literal, Mapping, NamedTuple, Optional, TypedDict, Union


class Operation(NamedTuple):
    """A request: method, path below /api, `op`, how the reply is read (json, bytes, none), and whether it streams."""

    method: str
    path: str
    op: Optional[str]
    reply: str
    streams: bool = False


class Node(TypedDict):
    createdAt: str
    updatedAt: str
    name: str
    path: str
    parent: str
    type: Literal["directory", "workflow"]
    attributes: List[str]
    oid: str
    readOnly: bool
    expandedType: Literal["directory", "workflow", "git"]
    mimeType: str


class PageInfoOrderItem(TypedDict):
    field: str
    direction: str


class PageInfoFilterItem(TypedDict):
    field: str
    type: str
    val: str


class PageInfo(TypedDict):
    order: List[PageInfoOrderItem]
    filter: List[PageInfoFilterItem]
    limit: int
    offset: int
    total: int
    hasNextPage: bool
    hasPreviousPage: bool
    startCursor: str
    endCursor: str


class DirectoryChildrenEdgesItem(TypedDict):
    node: Node
    cursor: str


class DirectoryChildren(TypedDict):
    pageInfo: PageInfo
    results: List[Node]
    totalCount: int
    edges: List[DirectoryChildrenEdgesItem]


class Directory(TypedDict):
    namespace: str
    node: Node
    children: DirectoryChildren


class Revision(TypedDict):
    createdAt: str
    hash: str
    source: str
    name: str


class Workflow(TypedDict):
    namespace: str
    node: Node
    revision: Revision
    eventLogging: str
    oid: str


DirectoryOrWorkflowReply = Union[Directory, Workflow]


class StoredRevisionReplyWarningsItemEnd(TypedDict):
    line: int
    column: int


class StoredRevisionReplyWarningsItemMendEditsItemFrom(TypedDict):
    line: int
    column: int


class StoredRevisionReplyWarningsItemMendEditsItemTo(TypedDict):
    line: int
    column: int


StoredRevisionReplyWarningsItemMendEditsItem = TypedDict(
    "StoredRevisionReplyWarningsItemMendEditsItem",
    {
        "from": StoredRevisionReplyWarningsItemMendEditsItemFrom,
        "to": StoredRevisionReplyWarningsItemMendEditsItemTo,
        "text": str,
    },
)


class StoredRevisionReplyWarningsItemMend(TypedDict):
    title: str
    edits: List[StoredRevisionReplyWarningsItemMendEditsItem]
    isCertain: bool


class _StoredRevisionReplyWarningsItem(TypedDict):
    rule: str
    severity: Literal["error", "warning", "hint"]
    message: str
    line: int
    column: int
    text: str
    docs: str


class StoredRevisionReplyWarningsItem(_StoredRevisionReplyWarningsItem, total=False):
    end: StoredRevisionReplyWarningsItemEnd
    hint: str
    mend: StoredRevisionReplyWarningsItemMend


class _StoredRevisionReply(TypedDict):
    namespace: str
    node: Node
    revision: Revision


class StoredRevisionReply(_StoredRevisionReply, total=False):
    warnings: List[StoredRevisionReplyWarningsItem]


class StartedReply(TypedDict):
    namespace: str
    instance: str


_InstanceRow = TypedDict(
    "_InstanceRow",
    {
        "createdAt": str,
        "updatedAt": str,
        "id": str,
        "as": str,
        "status": Literal["pending", "complete", "failed", "crashed"],
        "errorCode": str,
        "errorMessage": str,
        "invoker": str,
    },
)


class InstanceRow(_InstanceRow, total=False):
    queued: bool
    labels: Dict[str, str]


class InstancesReplyInstancesEdgesItem(TypedDict):
    node: InstanceRow
    cursor: str


class InstancesReplyInstances(TypedDict):
    pageInfo: PageInfo
    results: List[InstanceRow]
    totalCount: int
    edges: List[InstancesReplyInstancesEdgesItem]


class InstancesReply(TypedDict):
    instances: InstancesReplyInstances
    namespace: str


_InstanceRecord = TypedDict(
    "_InstanceRecord",
    {
        "createdAt": str,
        "updatedAt": str,
        "id": str,
        "as": str,
        "status": Literal["pending", "complete", "failed", "crashed"],
        "errorCode": str,
        "errorMessage": str,
        "invoker": str,
    },
)


class InstanceRecord(_InstanceRecord, total=False):
    queued: bool


class InstanceReplyWorkflow(TypedDict):
    path: str
    name: str
    parent: str
    revision: str


class InstanceReplyErrorAt(TypedDict):
    file: str
    line: int
    column: int


class InstanceReplyErrorSaw(TypedDict):
    type: str
    sample: str


class _InstanceReplyError(TypedDict):
    code: str
    message: str
    state: str


class InstanceReplyError(_InstanceReplyError, total=False):
    at: InstanceReplyErrorAt
    expression: str
    saw: InstanceReplyErrorSaw
    near: List[str]
    unmatched: List[str]


class _InstanceReply(TypedDict):
    namespace: str
    instance: InstanceRecord
    invokedBy: str
    flow: List[str]
    workflow: InstanceReplyWorkflow


class InstanceReply(_InstanceReply, total=False):
    labels: Dict[str, str]
    error: InstanceReplyError


class InstanceDataReply(TypedDict):
    namespace: str
    instance: InstanceRecord
    data: str


class LogLine(TypedDict):
    t: str
    level: Literal["debug", "info", "warn", "error"]
    msg: str
    tags: Dict[str, str]


class InstanceLogsReplyEdgesItem(TypedDict):
    node: LogLine
    cursor: str


class InstanceLogsReply(TypedDict):
    pageInfo: PageInfo
    results: List[LogLine]
    totalCount: int
    edges: List[InstanceLogsReplyEdgesItem]
    namespace: str
    instance: str


class Variable(TypedDict):
    name: str
    createdAt: str
    updatedAt: str
    checksum: str
    mimeType: str
    size: str


class NamespaceVariablesReplyVariablesEdgesItem(TypedDict):
    node: Variable
    cursor: str


class NamespaceVariablesReplyVariables(TypedDict):
    pageInfo: PageInfo
    results: List[Variable]
    totalCount: int
    edges: List[NamespaceVariablesReplyVariablesEdgesItem]


class NamespaceVariablesReply(TypedDict):
    namespace: str
    variables: NamespaceVariablesReplyVariables


class _SecretRecord(TypedDict):
    name: str
    initialized: bool


class SecretRecord(_SecretRecord, total=False):
    reference: str
    cache: str


class SecretsReplySecretsEdgesItem(TypedDict):
    node: SecretRecord
    cursor: str


class SecretsReplySecrets(TypedDict):
    pageInfo: PageInfo
    results: List[SecretRecord]
    totalCount: int
    edges: List[SecretsReplySecretsEdgesItem]


class SecretsReply(TypedDict):
    namespace: str
    secrets: SecretsReplySecrets


class ApprovalsReplyApprovalsItemFailuresItem(TypedDict):
    instance: str
    code: str
    message: str


class _ApprovalsReplyApprovalsItem(TypedDict):
    instance: str
    workflow: str
    state: str
    subject: str
    text: str
    assignees: List[str]
    since: str
    until: str
    reminders: int


class ApprovalsReplyApprovalsItem(_ApprovalsReplyApprovalsItem, total=False):
    failures: List[ApprovalsReplyApprovalsItemFailuresItem]


class ApprovalsReply(TypedDict):
    namespace: str
    approvals: List[ApprovalsReplyApprovalsItem]


class ApprovalReplyApprovalFailuresItem(TypedDict):
    instance: str
    code: str
    message: str


class _ApprovalReplyApproval(TypedDict):
    instance: str
    workflow: str
    state: str
    subject: str
    text: str
    assignees: List[str]
    since: str
    until: str
    reminders: int
    choices: List[str]


class ApprovalReplyApproval(_ApprovalReplyApproval, total=False):
    failures: List[ApprovalReplyApprovalFailuresItem]
    form: Any


class ApprovalReply(TypedDict):
    namespace: str
    approval: ApprovalReplyApproval


class DecisionReply(TypedDict):
    namespace: str
    instance: str
    choice: str
    by: str


class TasksReplyTasksItem(TypedDict):
    task: str
    lease: str
    leaseUntil: str
    until: str
    key: str
    attempt: int
    taken: int
    priority: int
    createdAt: str
    instance: str
    workflow: str
    state: str
    traceparent: str
    input: Any


class TasksReply(TypedDict):
    namespace: str
    queue: str
    tasks: List[TasksReplyTasksItem]


OPERATIONS: Mapping[str, Operation] = {
    "listNamespaces": Operation("GET", "/namespaces", None, "json", True),
    "createNamespace": Operation("PUT", "/namespaces/{namespace}", None, "json"),
    "deleteNamespace": Operation("DELETE", "/namespaces/{namespace}", None, "none"),
    "getConfig": Operation("GET", "/namespaces/{namespace}/config", None, "json"),
    "setConfig": Operation("PATCH", "/namespaces/{namespace}/config", None, "json"),
    "getWorkflowsDescription": Operation("GET", "/namespaces/{namespace}/openapi.json", None, "json"),
    "getUsage": Operation("GET", "/namespaces/{namespace}/usage", None, "json"),
    "listSchedules": Operation("GET", "/namespaces/{namespace}/schedules", None, "json"),
    "getDefinitions": Operation("GET", "/namespaces/{namespace}/definitions", None, "json"),
    "getNode": Operation("GET", "/namespaces/{namespace}/tree/{node}", None, "json", True),
    "getMachine": Operation("GET", "/namespaces/{namespace}/tree/{node}", "machine", "json"),
    "listRefs": Operation("GET", "/namespaces/{namespace}/tree/{node}", "refs", "json", True),
    "listRevisions": Operation("GET", "/namespaces/{namespace}/tree/{node}", "revisions", "json", True),
    "listTags": Operation("GET", "/namespaces/{namespace}/tree/{node}", "tags", "json", True),
    "listHistory": Operation("GET", "/namespaces/{namespace}/tree/{node}", "history", "json"),
    "getRouter": Operation("GET", "/namespaces/{namespace}/tree/{node}", "router", "json", True),
    "getMirror": Operation("GET", "/namespaces/{namespace}/tree/{node}", "mirror-info", "json", True),
    "listDeletions": Operation("GET", "/namespaces/{namespace}/tree/{node}", "deletions", "json"),
    "waitWorkflow": Operation("GET", "/namespaces/{namespace}/tree/{node}", "wait", "bytes"),
    "listWorkflowVariables": Operation("GET", "/namespaces/{namespace}/tree/{node}", "vars", "json", True),
    "getWorkflowVariable": Operation("GET", "/namespaces/{namespace}/tree/{node}", "var", "bytes"),
    "getWorkflowLogs": Operation("GET", "/namespaces/{namespace}/tree/{node}", "logs", "json", True),
    "getWorkflowInvoked": Operation("GET", "/namespaces/{namespace}/tree/{node}", "metrics-invoked", "json"),
    "getWorkflowSuccessful": Operation("GET", "/namespaces/{namespace}/tree/{node}", "metrics-successful", "json"),
    "getWorkflowFailed": Operation("GET", "/namespaces/{namespace}/tree/{node}", "metrics-failed", "json"),
    "getWorkflowMilliseconds": Operation("GET", "/namespaces/{namespace}/tree/{node}", "metrics-milliseconds", "json"),
    "getWorkflowStateMilliseconds": Operation("GET", "/namespaces/{namespace}/tree/{node}", "metrics-state-milliseconds", "json"),
    "getWorkflowFlow": Operation("GET", "/namespaces/{namespace}/tree/{node}", "metrics-sankey", "json"),
    "createDirectory": Operation("PUT", "/namespaces/{namespace}/tree/{node}", "create-directory", "json"),
    "createWorkflow": Operation("PUT", "/namespaces/{namespace}/tree/{node}", "create-workflow", "json"),
    "createNodeAttributes": Operation("PUT", "/namespaces/{namespace}/tree/{node}", "create-node-attributes", "none"),
    "setWorkflowVariable": Operation("PUT", "/namespaces/{namespace}/tree/{node}", "set-var", "json"),
    "updateWorkflow": Operation("POST", "/namespaces/{namespace}/tree/{node}", "update-workflow", "json"),
    "validateWorkflow": Operation("POST", "/namespaces/{namespace}/tree/{node}", "validate", "json"),
    "toggleWorkflow": Operation("POST", "/namespaces/{namespace}/tree/{node}", "toggle", "none"),
    "setEventLogging": Operation("POST", "/namespaces/{namespace}/tree/{node}", "set-workflow-event-logging", "none"),
    "renameNode": Operation("POST", "/namespaces/{namespace}/tree/{node}", "rename-node", "json"),
    "saveWorkflow": Operation("POST", "/namespaces/{namespace}/tree/{node}", "save-workflow", "json"),
    "discardWorkflow": Operation("POST", "/namespaces/{namespace}/tree/{node}", "discard-workflow", "json"),
    "deleteRevision": Operation("POST", "/namespaces/{namespace}/tree/{node}", "delete-revision", "none"),
    "tagRevision": Operation("POST", "/namespaces/{namespace}/tree/{node}", "tag", "none"),
    "untagRevision": Operation("POST", "/namespaces/{namespace}/tree/{node}", "untag", "none"),
    "retagRevision": Operation("POST", "/namespaces/{namespace}/tree/{node}", "retag", "none"),
    "editRouter": Operation("POST", "/namespaces/{namespace}/tree/{node}", "edit-router", "json"),
    "validateRouter": Operation("POST", "/namespaces/{namespace}/tree/{node}", "validate-router", "json"),
    "validateRef": Operation("POST", "/namespaces/{namespace}/tree/{node}", "validate-ref", "json"),
    "updateMirror": Operation("POST", "/namespaces/{namespace}/tree/{node}", "update-mirror", "none"),
    "lockMirror": Operation("POST", "/namespaces/{namespace}/tree/{node}", "lock-mirror", "none"),
    "unlockMirror": Operation("POST", "/namespaces/{namespace}/tree/{node}", "unlock-mirror", "none"),
    "syncMirror": Operation("POST", "/namespaces/{namespace}/tree/{node}", "sync-mirror", "none"),
    "restoreNode": Operation("POST", "/namespaces/{namespace}/tree/{node}", "restore", "json"),
    "executeWorkflow": Operation("POST", "/namespaces/{namespace}/tree/{node}", "execute", "json"),
    "waitWorkflowWithBody": Operation("POST", "/namespaces/{namespace}/tree/{node}", "wait", "bytes"),
    "deleteNode": Operation("DELETE", "/namespaces/{namespace}/tree/{node}", "delete-node", "none"),
    "deleteNodeAttributes": Operation("DELETE", "/namespaces/{namespace}/tree/{node}", "delete-node-attributes", "none"),
    "deleteWorkflowVariable": Operation("DELETE", "/namespaces/{namespace}/tree/{node}", "delete-var", "none"),
    "listInstances": Operation("GET", "/namespaces/{namespace}/instances", None, "json", True),
    "listJobs": Operation("GET", "/namespaces/{namespace}/instances", "jobs", "json"),
    "rerunInstances": Operation("POST", "/namespaces/{namespace}/instances", "rerun", "json"),
    "createJob": Operation("POST", "/namespaces/{namespace}/instances", "job", "json"),
    "stopJob": Operation("POST", "/namespaces/{namespace}/instances", "stop-job", "json"),
    "getPrices": Operation("GET", "/namespaces/{namespace}/prices", None, "json"),
    "getInstance": Operation("GET", "/namespaces/{namespace}/instances/{instance}", None, "json", True),
    "getInstanceSource": Operation("GET", "/namespaces/{namespace}/instances/{instance}", "source", "json"),
    "rerunInstance": Operation("POST", "/namespaces/{namespace}/instances/{instance}", "rerun", "json"),
    "getInstanceInput": Operation("GET", "/namespaces/{namespace}/instances/{instance}/input", None, "json"),
    "getInstanceOutput": Operation("GET", "/namespaces/{namespace}/instances/{instance}/output", None, "json"),
    "getInstanceMetadata": Operation("GET", "/namespaces/{namespace}/instances/{instance}/metadata", None, "json"),
    "getInstanceTimeline": Operation("GET", "/namespaces/{namespace}/instances/{instance}/timeline", None, "json"),
    "getInstanceStep": Operation("GET", "/namespaces/{namespace}/instances/{instance}/steps/{step}", None, "json"),
    "getInstanceWaiting": Operation("GET", "/namespaces/{namespace}/instances/{instance}/waiting", None, "json"),
    "getInstanceBundle": Operation("GET", "/namespaces/{namespace}/instances/{instance}/bundle", None, "json"),
    "cancelInstance": Operation("POST", "/namespaces/{namespace}/instances/{instance}/cancel", None, "none"),
    "listApprovals": Operation("GET", "/namespaces/{namespace}/approvals", None, "json"),
    "getApproval": Operation("GET", "/namespaces/{namespace}/approvals/{instance}", None, "json"),
    "decideApproval": Operation("POST", "/namespaces/{namespace}/approvals/{instance}", None, "json"),
    "listQueues": Operation("GET", "/namespaces/{namespace}/workers", None, "json"),
    "listTasks": Operation("GET", "/namespaces/{namespace}/workers/{queue}", None, "json"),
    "pollTasks": Operation("POST", "/namespaces/{namespace}/workers/{queue}", "poll", "json"),
    "completeTask": Operation("POST", "/namespaces/{namespace}/workers/{queue}", "complete", "json"),
    "failTask": Operation("POST", "/namespaces/{namespace}/workers/{queue}", "fail", "json"),
    "renewTask": Operation("POST", "/namespaces/{namespace}/workers/{queue}", "heartbeat", "json"),
    "listNamespaceVariables": Operation("GET", "/namespaces/{namespace}/vars", None, "json", True),
    "getNamespaceVariable": Operation("GET", "/namespaces/{namespace}/vars/{variable}", None, "bytes"),
    "setNamespaceVariable": Operation("PUT", "/namespaces/{namespace}/vars/{variable}", None, "json"),
    "deleteNamespaceVariable": Operation("DELETE", "/namespaces/{namespace}/vars/{variable}", None, "none"),
    "listInstanceVariables": Operation("GET", "/namespaces/{namespace}/instances/{instance}/vars", None, "json", True),
    "getInstanceVariable": Operation("GET", "/namespaces/{namespace}/instances/{instance}/vars/{variable}", None, "bytes"),
    "setInstanceVariable": Operation("PUT", "/namespaces/{namespace}/instances/{instance}/vars/{variable}", None, "json"),
    "deleteInstanceVariable": Operation("DELETE", "/namespaces/{namespace}/instances/{instance}/vars/{variable}", None, "none"),
    "listSecrets": Operation("GET", "/namespaces/{namespace}/secrets", None, "json", True),
    "searchSecrets": Operation("GET", "/namespaces/{namespace}/secrets", "search", "json"),
    "listSecretFolder": Operation("GET", "/namespaces/{namespace}/secrets/{secret}", None, "json", True),
    "createSecret": Operation("PUT", "/namespaces/{namespace}/secrets/{secret}", None, "json"),
    "overwriteSecret": Operation("PATCH", "/namespaces/{namespace}/secrets/{secret}", None, "json"),
    "deleteSecret": Operation("DELETE", "/namespaces/{namespace}/secrets/{secret}", None, "none"),
    "listGlobalRegistries": Operation("GET", "/functions/registries/global", None, "json"),
    "createGlobalRegistry": Operation("POST", "/functions/registries/global", None, "none"),
    "deleteGlobalRegistry": Operation("DELETE", "/functions/registries/global", None, "none"),
    "listPrivateRegistries": Operation("GET", "/functions/registries/private", None, "json"),
    "createPrivateRegistry": Operation("POST", "/functions/registries/private", None, "none"),
    "deletePrivateRegistry": Operation("DELETE", "/functions/registries/private", None, "none"),
    "listNamespaceRegistries": Operation("GET", "/functions/registries/namespaces/{namespace}", None, "json"),
    "createNamespaceRegistry": Operation("POST", "/functions/registries/namespaces/{namespace}", None, "none"),
    "deleteNamespaceRegistry": Operation("DELETE", "/functions/registries/namespaces/{namespace}", None, "none"),
    "testRegistry": Operation("POST", "/functions/registries/test", None, "json"),
    "listGlobalServices": Operation("GET", "/functions", None, "json", True),
    "createGlobalService": Operation("POST", "/functions", None, "none"),
    "getGlobalService": Operation("GET", "/functions/{service}", None, "json", True),
    "createGlobalServiceRevision": Operation("POST", "/functions/{service}", None, "none"),
    "setGlobalServiceTraffic": Operation("PATCH", "/functions/{service}", None, "none"),
    "deleteGlobalService": Operation("DELETE", "/functions/{service}", None, "none"),
    "watchGlobalServiceRevisions": Operation("GET", "/functions/{service}/revisions", None, "none", True),
    "watchGlobalServiceRevision": Operation("GET", "/functions/{service}/revisions/{revision}", None, "none", True),
    "deleteGlobalServiceRevision": Operation("DELETE", "/functions/{service}/revisions/{revision}", None, "none"),
    "listGlobalServicePods": Operation("GET", "/functions/{service}/revisions/{revision}/pods", None, "json", True),
    "watchPodLogs": Operation("GET", "/functions/logs/pod/{pod}", None, "none", True),
    "listNamespaceServices": Operation("GET", "/functions/namespaces/{namespace}", None, "json", True),
    "createNamespaceService": Operation("POST", "/functions/namespaces/{namespace}", None, "none"),
    "getNamespaceService": Operation("GET", "/functions/namespaces/{namespace}/function/{service}", None, "json", True),
    "createNamespaceServiceRevision": Operation("POST", "/functions/namespaces/{namespace}/function/{service}", None, "none"),
    "setNamespaceServiceTraffic": Operation("PATCH", "/functions/namespaces/{namespace}/function/{service}", None, "none"),
    "deleteNamespaceService": Operation("DELETE", "/functions/namespaces/{namespace}/function/{service}", None, "none"),
    "watchNamespaceServiceRevisions": Operation("GET", "/functions/namespaces/{namespace}/function/{service}/revisions", None, "none", True),
    "watchNamespaceServiceRevision": Operation("GET", "/functions/namespaces/{namespace}/function/{service}/revisions/{revision}", None, "none", True),
    "deleteNamespaceServiceRevision": Operation("DELETE", "/functions/namespaces/{namespace}/function/{service}/revisions/{revision}", None, "none"),
    "listNamespaceServicePods": Operation("GET", "/functions/namespaces/{namespace}/function/{service}/revisions/{revision}/pods", None, "json", True),
    "listWorkflowServices": Operation("GET", "/functions/namespaces/{namespace}/tree/{node}", "services", "json", True),
    "watchWorkflowService": Operation("GET", "/functions/namespaces/{namespace}/tree/{node}", "function", "json", True),
    "listWorkflowServiceRevisions": Operation("GET", "/functions/namespaces/{namespace}/tree/{node}", "function-revisions", "json", True),
    "getWorkflowServiceRevision": Operation("GET", "/functions/namespaces/{namespace}/tree/{node}", "function-revision", "json", True),
    "listWorkflowServicePods": Operation("GET", "/functions/namespaces/{namespace}/tree/{node}", "pods", "json", True),
    "deleteWorkflowService": Operation("DELETE", "/functions/namespaces/{namespace}/tree/{node}", "delete-service", "none"),
    "listAudit": Operation("GET", "/audit", None, "json"),
    "getServerLogs": Operation("GET", "/logs", None, "json", True),
    "getNamespaceLogs": Operation("GET", "/namespaces/{namespace}/logs", None, "json", True),
    "getInstanceLogs": Operation("GET", "/namespaces/{namespace}/instances/{instance}/logs", None, "json", True),
    "getNamespaceInvoked": Operation("GET", "/namespaces/{namespace}/metrics/invoked", None, "json"),
    "getNamespaceSuccessful": Operation("GET", "/namespaces/{namespace}/metrics/successful", None, "json"),
    "getNamespaceFailed": Operation("GET", "/namespaces/{namespace}/metrics/failed", None, "json"),
    "getNamespaceMilliseconds": Operation("GET", "/namespaces/{namespace}/metrics/milliseconds", None, "json"),
    "getNamespaceWorkers": Operation("GET", "/namespaces/{namespace}/metrics/workers", None, "json"),
    "broadcastEvent": Operation("POST", "/namespaces/{namespace}/broadcast", None, "none"),
    "broadcastEventThroughFilter": Operation("POST", "/namespaces/{namespace}/broadcast/{filter}", None, "none"),
    "listEvents": Operation("GET", "/namespaces/{namespace}/events", None, "json", True),
    "replayEvent": Operation("POST", "/namespaces/{namespace}/events/{event}/replay", None, "none"),
    "explainEvent": Operation("GET", "/namespaces/{namespace}/events/{event}/explain", None, "json"),
    "listEventListeners": Operation("GET", "/namespaces/{namespace}/event-listeners", None, "json", True),
    "listFailedDeliveries": Operation("GET", "/namespaces/{namespace}/failed-deliveries", None, "json"),
    "redeliverAll": Operation("POST", "/namespaces/{namespace}/failed-deliveries/redeliver", None, "json"),
    "redeliverOne": Operation("POST", "/namespaces/{namespace}/failed-deliveries/{delivery}/redeliver", None, "none"),
    "deleteFailedDelivery": Operation("DELETE", "/namespaces/{namespace}/failed-deliveries/{delivery}", None, "none"),
    "listEventFilters": Operation("GET", "/namespaces/{namespace}/eventfilter", None, "json"),
    "getEventFilter": Operation("GET", "/namespaces/{namespace}/eventfilter/{filter}", None, "json"),
    "createEventFilter": Operation("POST", "/namespaces/{namespace}/eventfilter/{filter}", None, "none"),
    "updateEventFilter": Operation("PATCH", "/namespaces/{namespace}/eventfilter/{filter}", None, "none"),
    "deleteEventFilter": Operation("DELETE", "/namespaces/{namespace}/eventfilter/{filter}", None, "none"),
    "listWebhooks": Operation("GET", "/namespaces/{namespace}/webhooks", None, "json"),
    "receiveWebhookByGet": Operation("GET", "/hooks/{hook}", None, "bytes"),
    "receiveWebhookByPut": Operation("PUT", "/hooks/{hook}", None, "bytes"),
    "receiveWebhook": Operation("POST", "/hooks/{hook}", None, "bytes"),
    "getVersion": Operation("GET", "/version", None, "json"),
    "runJq": Operation("POST", "/jq", None, "json"),
    "getDescription": Operation("GET", "/openapi.json", None, "json"),
    "getWorkflowSchema": Operation("GET", "/schema/workflow.json", None, "json"),
    "getSignIn": Operation("GET", "/sign-in", None, "json"),
    "redeemSignIn": Operation("POST", "/sign-in", None, "json"),
    "listKeys": Operation("GET", "/keys", None, "json"),
    "createKey": Operation("POST", "/keys", None, "json"),
    "getOwnKey": Operation("GET", "/keys/own", None, "json"),
    "deleteKey": Operation("DELETE", "/keys/{key}", None, "none"),
}
