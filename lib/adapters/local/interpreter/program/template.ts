import type { Query } from '../jsonata/jsonata.ts';

/** Compiles a JSONata expression. Throws JsonataError for one with a syntax error. */
export type Compile = (text: string) => Query;

/** A JSON value whose expressions are compiled. A value without expressions is one constant. */
export type Template =
  | { readonly is: 'constant'; readonly value: unknown }
  | { readonly is: 'query'; readonly text: string; readonly query: Query }
  | { readonly is: 'list'; readonly parts: readonly Template[] }
  | { readonly is: 'object'; readonly fields: readonly (readonly [string, Template])[] };

type Variables = Readonly<Record<string, unknown>>;

/** Called with an expression that fails or returns nothing, and with the reason; it throws. */
export type OnFailure = (expression: string, reason: string) => never;

/**
 * Whether a value is a JSONata expression: a string that begins with `{%` and ends with `%}`. With blanks around it, it
 * is a literal.
 */
export function isExpression(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 4 && value.startsWith('{%') && value.endsWith('%}');
}

/**
 * Compiles a JSON value and all expressions in it.
 * @throws JsonataError for the first expression with a syntax error.
 */
export function compileTemplate(value: unknown, compile: Compile): Template {
  if (isExpression(value)) {
    const text = value.slice(2, -2).trim();
    return { is: 'query', text, query: compile(text) };
  }
  if (Array.isArray(value)) return compileList(value, compile);
  if (typeof value === 'object' && value !== null) return compileObject(value, compile);
  return { is: 'constant', value };
}

function compileList(value: readonly unknown[], compile: Compile): Template {
  const parts = value.map((part) => compileTemplate(part, compile));
  return parts.every((part) => part.is === 'constant') ? { is: 'constant', value } : { is: 'list', parts };
}

function compileObject(value: object, compile: Compile): Template {
  const fields = Object.entries(value).map(([name, field]) => [name, compileTemplate(field, compile)] as const);
  return fields.every(([, field]) => field.is === 'constant') ? { is: 'constant', value } : { is: 'object', fields };
}

/** The value of a template. An expression that returns nothing is a failure. Throws what `onFailure` throws. */
export async function evaluate(template: Template, variables: Variables, onFailure: OnFailure): Promise<unknown> {
  if (template.is === 'constant') return template.value;
  if (template.is === 'query') return runQuery(template, variables, onFailure);
  if (template.is === 'list') {
    const values: unknown[] = [];
    for (const part of template.parts) values.push(await evaluate(part, variables, onFailure));
    return values;
  }
  const entries: [string, unknown][] = [];
  for (const [name, field] of template.fields) entries.push([name, await evaluate(field, variables, onFailure)]);
  return Object.fromEntries(entries);
}

async function runQuery(
  { text, query }: Extract<Template, { is: 'query' }>,
  variables: Variables,
  onFailure: OnFailure,
): Promise<unknown> {
  const result = await query(variables).catch((error: Error) => onFailure(text, error.message));
  return result === undefined ? onFailure(text, 'it yields nothing') : result;
}
