import type { Query } from '../jsonata/jsonata.ts';

/** Where expressions become queries; throws QueryError for one that cannot be read. */
export type Compile = (text: string) => Query;

/** JSON whose expressions are compiled. What holds no expression is one constant. */
export type Template =
  | { readonly is: 'constant'; readonly value: unknown }
  | { readonly is: 'query'; readonly text: string; readonly query: Query }
  | { readonly is: 'list'; readonly parts: readonly Template[] }
  | { readonly is: 'object'; readonly fields: readonly (readonly [string, Template])[] };

/** Called for an expression that yields nothing, or fails. */
export type Complain = (expression: string, why: string) => never;

/** Only a string that begins with `{%` and ends with `%}` is an expression; blanks around it make it a literal. */
export function isExpression(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 4 && value.startsWith('{%') && value.endsWith('%}');
}

/** Compiles a template. Throws QueryError for the first expression that cannot be read. */
export function template(value: unknown, compile: Compile): Template {
  if (isExpression(value)) {
    const text = value.slice(2, -2).trim();
    return { is: 'query', text, query: compile(text) };
  }
  if (Array.isArray(value)) return list(value, compile);
  if (typeof value === 'object' && value !== null) return object(value, compile);
  return { is: 'constant', value };
}

function list(value: readonly unknown[], compile: Compile): Template {
  const parts = value.map((part) => template(part, compile));
  return parts.every((part) => part.is === 'constant') ? { is: 'constant', value } : { is: 'list', parts };
}

function object(value: object, compile: Compile): Template {
  const fields = Object.entries(value).map(([name, field]) => [name, template(field, compile)] as const);
  return fields.every(([, field]) => field.is === 'constant') ? { is: 'constant', value } : { is: 'object', fields };
}

/** Evaluates a template; every expression must yield something. */
export async function fill(
  what: Template,
  variables: Readonly<Record<string, unknown>>,
  complain: Complain,
): Promise<unknown> {
  if (what.is === 'constant') return what.value;
  if (what.is === 'query') return answer(what.text, what.query, variables, complain);
  if (what.is === 'list') {
    const filled: unknown[] = [];
    for (const part of what.parts) filled.push(await fill(part, variables, complain));
    return filled;
  }
  const filled: [string, unknown][] = [];
  for (const [name, field] of what.fields) filled.push([name, await fill(field, variables, complain)]);
  return Object.fromEntries(filled);
}

async function answer(
  text: string,
  query: Query,
  variables: Readonly<Record<string, unknown>>,
  complain: Complain,
): Promise<unknown> {
  const result = await query(variables).catch((failed: Error) => complain(text, failed.message));
  return result === undefined ? complain(text, 'it yields nothing') : result;
}
