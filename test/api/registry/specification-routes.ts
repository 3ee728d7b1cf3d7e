/**
 * Every endpoint of the specification, one a line: method, path below /api with its `op`, then the body: `text`, `json`
 * (`json?` if it is optional), `event`; `?name` for a query parameter; `stream` for an event stream.
 */
const LINES = `
GET /namespaces
PUT /namespaces/{namespace}
DELETE /namespaces/{namespace} ?recursive
GET /namespaces/{namespace}/config
PATCH /namespaces/{namespace}/config json

GET /namespaces/{namespace}/tree/{nodePath}
PUT /namespaces/{namespace}/tree/{directory}?op=create-directory
DELETE /namespaces/{namespace}/tree/{node}?op=delete-node
PUT /namespaces/{namespace}/tree/{workflow}?op=create-workflow text
POST /namespaces/{namespace}/tree/{workflow}?op=update-workflow text
POST /namespaces/{namespace}/tree/{workflow}?op=toggle json
POST /namespaces/{namespace}/tree/{workflow}?op=set-workflow-event-logging json

POST /namespaces/{namespace}/tree/{workflow}?op=execute json?
GET /namespaces/{namespace}/tree/{workflow}?op=wait ?ctype ?field ?raw-output ?input.*
POST /namespaces/{namespace}/tree/{workflow}?op=wait json? ?ctype ?field ?raw-output ?input.*

GET /namespaces/{namespace}/instances
GET /namespaces/{namespace}/instances/{instance}
GET /namespaces/{namespace}/instances/{instance}/input
GET /namespaces/{namespace}/instances/{instance}/output
POST /namespaces/{namespace}/instances/{instance}/cancel
GET /namespaces/{namespace}/instances/{instance}/logs

GET /namespaces/{namespace}/vars
GET /namespaces/{namespace}/vars/{variable}
PUT /namespaces/{namespace}/vars/{variable} text
DELETE /namespaces/{namespace}/vars/{variable}
GET /namespaces/{namespace}/instances/{instance}/vars
GET /namespaces/{namespace}/instances/{instance}/vars/{variable}
PUT /namespaces/{namespace}/instances/{instance}/vars/{variable} text
DELETE /namespaces/{namespace}/instances/{instance}/vars/{variable}
GET /namespaces/{namespace}/tree/{workflow}?op=vars
GET /namespaces/{namespace}/tree/{workflow}?op=var ?var
PUT /namespaces/{namespace}/tree/{workflow}?op=set-var text ?var
DELETE /namespaces/{namespace}/tree/{workflow}?op=delete-var ?var

GET /namespaces/{namespace}/secrets
PUT /namespaces/{namespace}/secrets/{secret} text
DELETE /namespaces/{namespace}/secrets/{secret}

GET /functions/registries/global
POST /functions/registries/global json
DELETE /functions/registries/global json
GET /functions/registries/private
POST /functions/registries/private json
DELETE /functions/registries/private json
GET /functions/registries/namespaces/{namespace}
POST /functions/registries/namespaces/{namespace} json
DELETE /functions/registries/namespaces/{namespace} json

POST /functions json
GET /functions
GET /functions/{serviceName}
DELETE /functions/{serviceName}
POST /functions/{serviceName} json
PATCH /functions/{serviceName} json
DELETE /functions/{serviceName}/revisions/{revisionGeneration}
GET /functions/{serviceName}/revisions/{revisionGeneration}/pods
GET /functions/{serviceName}/revisions/{revisionGeneration} stream
GET /functions/{serviceName}/revisions stream

POST /functions/namespaces/{namespace} json
GET /functions/namespaces/{namespace}
GET /functions/namespaces/{namespace}/function/{serviceName}
DELETE /functions/namespaces/{namespace}/function/{serviceName}
POST /functions/namespaces/{namespace}/function/{serviceName} json
PATCH /functions/namespaces/{namespace}/function/{serviceName} json
DELETE /functions/namespaces/{namespace}/function/{serviceName}/revisions/{revisionGeneration}
GET /functions/namespaces/{namespace}/function/{serviceName}/revisions/{revisionGeneration}/pods
GET /functions/namespaces/{namespace}/function/{serviceName}/revisions/{revisionGeneration} stream
GET /functions/namespaces/{namespace}/function/{serviceName}/revisions stream

GET /functions/namespaces/{namespace}/tree/{workflow}?op=services
GET /functions/namespaces/{namespace}/tree/{workflow}?op=function stream ?svn ?version
GET /functions/namespaces/{namespace}/tree/{workflow}?op=function-revisions ?svn ?version
GET /functions/namespaces/{namespace}/tree/{workflow}?op=function-revision ?svn ?rev
GET /functions/namespaces/{namespace}/tree/{workflow}?op=pods ?svn ?rev

GET /logs
GET /namespaces/{namespace}/logs
GET /namespaces/{namespace}/tree/{workflow}?op=logs

GET /namespaces/{namespace}/metrics/invoked
GET /namespaces/{namespace}/metrics/successful
GET /namespaces/{namespace}/metrics/failed
GET /namespaces/{namespace}/metrics/milliseconds
GET /namespaces/{namespace}/tree/{workflow}?op=metrics-invoked
GET /namespaces/{namespace}/tree/{workflow}?op=metrics-successful
GET /namespaces/{namespace}/tree/{workflow}?op=metrics-failed
GET /namespaces/{namespace}/tree/{workflow}?op=metrics-state-milliseconds

POST /namespaces/{namespace}/broadcast event
POST /jq json
GET /version
`;

export interface SpecifiedRoute {
  readonly method: string;
  readonly path: string;
  readonly op?: string;
  readonly body: 'none' | 'text' | 'json' | 'json?' | 'event';
  readonly query: readonly string[];
  readonly stream: boolean;
}

const BODIES = ['text', 'json', 'json?', 'event'] as const;

function toRoute(line: string): SpecifiedRoute {
  const [method = '', target = '', ...takes] = line.split(' ');
  const [path = '', op] = target.split('?op=');
  return {
    method,
    path,
    ...(op === undefined ? {} : { op }),
    body: BODIES.find((body) => takes.includes(body)) ?? 'none',
    query: takes.filter((word) => word.startsWith('?')).map((word) => word.slice(1)),
    stream: takes.includes('stream'),
  };
}

export const specification: readonly SpecifiedRoute[] = LINES.split('\n')
  .filter((line) => line !== '')
  .map(toRoute);
