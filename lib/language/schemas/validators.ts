import { Ajv, type ErrorObject, type Options } from 'ajv';
import DRAFT_6 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' };
import draft04 from 'ajv-draft-04';
import DRAFT_4 from 'ajv-draft-04/dist/refs/json-schema-draft-04.json' with { type: 'json' };
import { type Draft, draftOf } from './drafts.ts';
import { addKeywords } from './keywords.ts';
import { normalizeSchema } from './normalization.ts';
import { schemaRegExp } from './regexps.ts';

/**
 * The most violations that one validation may hold. A worker thread whose heap grows quickly ends the whole process
 * instead of the thread, so a validator stops before its violations fill the heap: each takes about 250 bytes. A schema
 * whose work doubles with each level mostly doubles its violations too, and is stopped within a few hundredths of a second.
 */
export const MAX_HELD = 20_000;

/** A string, which stays as it is, or a place where Ajv's code has added violations. */
const ADDITIONS = /"(?:[^"\\]|\\.)*"|\berrors\+\+;|\berrors = vErrors\.length;/g;

/** Adds a check to each place of the code of a validator that adds violations. */
function limitHeld(code: string): string {
  return code.replace(ADDITIONS, (found) =>
    found.startsWith('"') ? found : `${found}if(errors>${MAX_HELD})throw vErrors;`,
  );
}

const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  logger: false,
  // Errors carry the invalid value, which their texts quote.
  verbose: true,
  // Names of the prototype of every object, such as `constructor`, are members only if the value has them.
  ownProperties: true,
  // A reference replaces what is beside it, up to draft 7.
  ignoreKeywordsWithRef: true,
  // The type of the option is the whole RegExp, but Ajv calls `test` and `toString` only.
  code: {
    process: limitHeld,
    regExp: schemaRegExp as unknown as NonNullable<NonNullable<Options['code']>['regExp']>,
  },
};

type Validator = ((value: unknown) => unknown) & { errors?: ErrorObject[] | null };

/** What a validator does with the defaults of its schema: it adds them to the value, or does not read them. */
type Defaults = 'added' | 'ignored';

/** Compiled validators by schema object, and by JSON text for the same schema parsed again; the oldest is removed first. */
const validators = { added: new WeakMap<object, Validator>(), ignored: new WeakMap<object, Validator>() };
const validatorsByText = new Map<string, Validator>();
const MAX_VALIDATORS = 100;
const MAX_CACHED_CHARACTERS = 100_000;

/** An instance of Ajv. It is shared, because making one is slow, and replaced, because it keeps memory of each schema. */
interface AjvInstance {
  readonly ajv: Ajv;
  /** The ids of its own schemas. Other ids come from a schema compiled before, to which the next must not refer. */
  readonly own: ReadonlySet<string>;
  compiled: number;
}

const MAX_COMPILED = 100;

const instances = new Map<string, AjvInstance>();

/** Removes `$schema` from a normalized schema: drafts 6 and 7 share one validator, and no schema is fetched by its name. */
function withoutDraft(schema: object, draft: Draft): object {
  const { $schema: _, ...rest } = normalizeSchema(schema, draft) as Record<string, unknown>;
  return rest;
}

function createAjv(isOld: boolean, defaults: Defaults): Ajv {
  const options = { ...OPTIONS, useDefaults: defaults === 'added' };
  if (isOld) return new draft04.default(options) as unknown as Ajv;
  const ajv = new Ajv(options);
  // Schemas may refer to the meta-schemas of other drafts; that of draft 4 has keywords that Ajv reads otherwise.
  ajv.addMetaSchema(DRAFT_6);
  ajv.addMetaSchema(withoutDraft(DRAFT_4, 'any'));
  return ajv;
}

/** Draft 4 has validators of its own; the later drafts share theirs. */
function instanceFor(draft: Draft, defaults: Defaults): AjvInstance {
  const kind = `${draft === 4 ? 'old' : 'new'} ${defaults}`;
  const known = instances.get(kind);
  if (known !== undefined && known.compiled < MAX_COMPILED) return known;
  const ajv = createAjv(draft === 4, defaults);
  addKeywords(ajv);
  const instance = { ajv, own: new Set([...Object.keys(ajv.refs), ...Object.keys(ajv.schemas)]), compiled: 0 };
  instances.set(kind, instance);
  return instance;
}

function compileUncached(schema: object, defaults: Defaults): Validator {
  const draft = draftOf(schema);
  const instance = instanceFor(draft, defaults);
  const { ajv, own } = instance;
  instance.compiled += 1;
  try {
    return ajv.compile(withoutDraft(schema, draft)) as Validator;
  } finally {
    for (const names of [ajv.refs, ajv.schemas])
      for (const name of Object.keys(names)) if (!own.has(name)) delete names[name];
  }
}

/** Returns the validator of a schema. With `added`, it changes the value that it checks. Throws for an invalid schema. */
export function validatorOf(schema: object, defaults: Defaults = 'ignored'): Validator {
  const known = validators[defaults].get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema);
  const name = `${defaults} ${text}`;
  // The validator has doubles only: an ExactNumber of the schema is the nearest one.
  const check = validatorsByText.get(name) ?? compileUncached(JSON.parse(text), defaults);
  validators[defaults].set(schema, check);
  if (text.length > MAX_CACHED_CHARACTERS) return check;
  validatorsByText.set(name, check);
  const oldest = validatorsByText.size > MAX_VALIDATORS ? validatorsByText.keys().next().value : undefined;
  if (oldest !== undefined) validatorsByText.delete(oldest);
  return check;
}
