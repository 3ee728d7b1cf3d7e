import { isObject } from '../../language/json.ts';
import { API_VERSION, securitySchemes } from './openapi.ts';

type Json = Record<string, unknown>;

/** A workflow that a request can start, with the schemas of its input and output; absent: any object. */
export interface DescribedWorkflow {
  readonly path: string;
  readonly input?: unknown;
  readonly output?: unknown;
}

const OP = {
  name: 'op',
  in: 'query',
  required: true,
  description: 'Waits for the output. With `execute`, the reply is the id of the run: the API itself describes it.',
  schema: { type: 'string', enum: ['wait'], default: 'wait' },
  example: 'wait',
};

const MISTAKES = {
  type: 'object',
  properties: {
    code: { type: 'integer' },
    message: { type: 'string' },
    violations: { type: 'array', items: { type: 'string' }, description: 'Each mistake, with its path.' },
  },
};

const contentOf = (schema: unknown): Json => ({ 'application/json': { schema } });

/** References within a schema of a workflow are relative to that schema, not to the description. */
function asResource(schema: unknown, id: string): unknown {
  if (schema === undefined) return { type: 'object' };
  const hasReferences = isObject(schema) && schema['$id'] === undefined && JSON.stringify(schema).includes('"$ref"');
  return hasReferences ? { ...schema, $id: id } : schema;
}

function operationOf(namespace: string, { path, input, output }: DescribedWorkflow): Json {
  const id = (part: string) => `urn:weft:${part}:${encodeURIComponent(namespace)}:${encodeURIComponent(path.slice(1))}`;
  return {
    operationId: path.slice(1),
    summary: `Runs the workflow ${path.slice(1)}`,
    parameters: [OP],
    requestBody: { required: input !== undefined, content: contentOf(asResource(input, id('input'))) },
    responses: {
      200: { description: 'The output of the run.', content: contentOf(asResource(output, id('output'))) },
      400: { description: 'The input does not fit.', content: contentOf(MISTAKES) },
      default: { description: 'Another error, or the failure of the run.', content: contentOf(MISTAKES) },
    },
  };
}

/** The OpenAPI 3.1 description of the workflows of a namespace that a request can start: a path each. */
export function namespaceOpenapi(
  namespace: string,
  { workflows, complete }: { readonly workflows: readonly DescribedWorkflow[]; readonly complete: boolean },
): Json & { readonly openapi: string } {
  const schemes = securitySchemes();
  const paths = workflows.map((workflow): [string, Json] => {
    const segments = ['namespaces', namespace, 'tree', ...workflow.path.split('/').filter(Boolean)];
    return [`/${segments.map(encodeURIComponent).join('/')}`, { post: operationOf(namespace, workflow) }];
  });
  return {
    openapi: '3.1.1',
    info: {
      title: `Workflows of ${namespace}`,
      version: API_VERSION,
      ...(complete ? {} : { description: 'There are more workflows than this description has.' }),
    },
    servers: [{ url: '/api' }],
    security: Object.keys(schemes).map((name) => ({ [name]: [] })),
    paths: Object.fromEntries(paths),
    components: { securitySchemes: schemes },
  };
}
