import { ownMember, textOf } from '../../language/own-members.ts';
import { type Description, opOf, replyKind, replySchema, rowsOf, type Schema } from './client-types.ts';

/** Writes the OpenAPI description as Python for the client in clients/python: types of replies, and the operations. */

/** The operations whose replies have types in Python: those that have a method of their own. */
const TYPED = [
  ...[
    'getNode',
    'createWorkflow',
    'updateWorkflow',
    'executeWorkflow',
    'listInstances',
    'getInstance',
    'getInstanceOutput',
    'getInstanceLogs',
  ],
  ...['listNamespaceVariables', 'listSecrets', 'listApprovals', 'getApproval', 'decideApproval', 'pollTasks'],
];

const BASIC: Readonly<Record<string, string>> = {
  string: 'str',
  number: 'float',
  integer: 'int',
  boolean: 'bool',
  null: 'None',
};

const quoted = (text: string): string => JSON.stringify(text);
const inPascalCase = (name: string): string =>
  name.replace(/(?:^|[^A-Za-z0-9])([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());

type Fields = readonly (readonly [name: string, type: string])[];

/** Words of Python that are names in the description. */
const KEYWORDS: readonly string[] = ['as', 'class', 'from', 'global', 'import', 'in', 'is', 'pass'];
const isAttribute = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !KEYWORDS.includes(name);

function classOf(name: string, base: string, fields: Fields): string {
  const wrong = fields.find(([field]) => !isAttribute(field));
  if (wrong !== undefined) throw new Error(`'${wrong[0]}' of ${name} cannot be an attribute in Python`);
  return [`class ${name}(${base}):`, ...fields.map(([field, type]) => `    ${field}: ${type}`)].join('\n');
}

/** A dictionary with these keys. The syntax of classes has no place for a key that is a keyword. */
function dictionary(name: string, fields: Fields): string {
  if (fields.every(([field]) => isAttribute(field))) return classOf(name, 'TypedDict', fields);
  const lines = fields.map(([field, type]) => `        ${quoted(field)}: ${type},`);
  return [`${name} = TypedDict(`, `    ${quoted(name)},`, '    {', ...lines, '    },', ')'].join('\n');
}

/** The names that a schema needs are declared before it. */
class Declarations {
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #texts = new Map<string, string>();

  constructor(schemas: Readonly<Record<string, Schema>>) {
    this.#schemas = schemas;
  }

  get text(): string {
    return [...this.#texts.values()].join('\n\n\n');
  }

  /** The Python type of a schema. An object without a name in the description gets `name`. */
  typeOf(schema: Schema, name: string): string {
    if (schema.$ref !== undefined) return this.#named(schema.$ref.split('/').at(-1) ?? '');
    if (schema.enum !== undefined) return `Literal[${schema.enum.map((one) => quoted(textOf(one))).join(', ')}]`;
    if (schema.anyOf !== undefined) {
      return `Union[${schema.anyOf.map((one, n) => this.typeOf(one, `${name}${n + 1}`)).join(', ')}]`;
    }
    if (Array.isArray(schema.type)) {
      return `Union[${schema.type.map((type) => this.typeOf({ ...schema, type }, name)).join(', ')}]`;
    }
    if (schema.type === 'object') return this.#object(schema, name);
    if (schema.type === 'array') {
      return `List[${this.typeOf(typeof schema.items === 'object' ? schema.items : {}, `${name}Item`)}]`;
    }
    return ownMember(BASIC, textOf(schema.type)) ?? 'Any';
  }

  /** Declares a schema of the description once. Throws for a name that it does not have. */
  #named(name: string): string {
    if (this.#texts.has(name)) return name;
    const schema = ownMember(this.#schemas, name);
    if (schema === undefined) throw new Error(`the description has no schema '${name}'`);
    const type = this.typeOf(schema, name);
    if (type !== name) this.#declare(name, `${name} = ${type}`);
    return name;
  }

  #object({ properties = {}, required = [], additionalProperties }: Schema, name: string): string {
    const fields = Object.entries(properties);
    if (fields.length === 0) {
      const values = typeof additionalProperties === 'object' ? additionalProperties : {};
      return `Dict[str, ${this.typeOf(values, `${name}Value`)}]`;
    }
    const typed = fields.map(([field, schema]) => [field, this.typeOf(schema, name + inPascalCase(field))] as const);
    const always = typed.filter(([field]) => required.includes(field));
    const maybe = typed.filter(([field]) => !required.includes(field));
    if (maybe.length === 0) this.#declare(name, dictionary(name, always));
    else {
      // typing.NotRequired is newer than the oldest supported Python.
      const base = always.length > 0 ? `_${name}` : 'TypedDict';
      if (always.length > 0) this.#declare(base, dictionary(base, always));
      this.#declare(name, classOf(name, `${base}, total=False`, maybe));
    }
    return name;
  }

  #declare(name: string, text: string): void {
    if (this.#texts.has(name)) throw new Error(`two types of the description have the name '${name}' in Python`);
    this.#texts.set(name, text);
  }
}

const HEAD = `# Made from docs/openapi.json by \`npm run docs\`.
from typing import Any, Dict, List, Literal, Mapping, NamedTuple, Optional, TypedDict, Union


class Operation(NamedTuple):
    """A request: method, path below /api, \`op\`, how the reply is read (json, bytes, none), and whether it streams."""

    method: str
    path: str
    op: Optional[str]
    reply: str
    streams: bool = False
`;

/** The types of replies and the table of all operations, as a Python module. Throws if a name stands for two types. */
export function pythonTypes(description: Description): string {
  const declarations = new Declarations(description.components.schemas);
  const rows = [...rowsOf(description)];
  for (const id of TYPED) {
    const reply = rows.find(({ operation }) => operation.operationId === id);
    const schema = reply === undefined ? undefined : replySchema(reply.operation);
    if (schema === undefined) throw new Error(`the operation '${id}' does not exist or has no reply in JSON`);
    declarations.typeOf(schema, inPascalCase(id));
  }
  const table = rows.map(({ method, path, operation }) => {
    const op = opOf(operation);
    const cells = [quoted(method), quoted(path), op === undefined ? 'None' : quoted(op)];
    const isStream = operation['x-frame'] !== undefined;
    const last = `${quoted(replyKind(operation))}${isStream ? ', True' : ''}`;
    return `    ${quoted(operation.operationId)}: Operation(${cells.join(', ')}, ${last}),`;
  });
  return `${HEAD}\n\n${declarations.text}\n\n\nOPERATIONS: Mapping[str, Operation] = {\n${table.join('\n')}\n}\n`;
}
