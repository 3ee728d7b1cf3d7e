import {
  ExternalSecretError,
  type Reference,
  type SecretKind,
  type SecretSource,
} from '../../ports/external-secrets.ts';
import type { Ports } from '../../ports/ports.ts';
import { addDuration, parseDuration } from '../../time/durations.ts';
import { DAY_MS, MINUTE_MS } from '../../time/units.ts';
import { ServiceError } from '../errors.ts';
import { isNamespaceName } from '../names.ts';

/** The value of a secret that is stored outside the service, as a namespace stores it. */
export interface ExternalValue {
  /** `aws-sm:orders/db#password`. */
  readonly reference: string;
  /** How long a process uses a value that it has read: an ISO 8601 duration. */
  readonly cache?: string | undefined;
}

/** How the references of a kind are written. */
interface Form {
  readonly name: RegExp;
  readonly field: 'required' | 'optional' | 'none';
  readonly example: string;
}

/** Without `.` and `..`: Vault has the path in a URL. */
const SEGMENT = String.raw`(?!\.{1,2}(?:/|$))[\w+=.@-]+`;

const FORMS: Readonly<Record<SecretKind, Form>> = {
  'aws-sm': { name: RegExp(`^/?${SEGMENT}(/${SEGMENT})*$`), field: 'optional', example: 'aws-sm:orders/db#password' },
  'aws-ssm': { name: RegExp(`^(/${SEGMENT})+$`), field: 'optional', example: 'aws-ssm:/orders/token' },
  vault: { name: RegExp(`^${SEGMENT}(/${SEGMENT})+$`), field: 'required', example: 'vault:secret/orders/db#password' },
  env: { name: /^[A-Za-z_]\w*$/, field: 'none', example: 'env:ORDERS_TOKEN' },
};

const KINDS = Object.keys(FORMS) as SecretKind[];
const isKind = (text: string): text is SecretKind => KINDS.some((kind) => kind === text);

const MAX_REFERENCE_LENGTH = 1024;
/** Without control characters. */
const FIELD = /^\P{Cc}+$/u;

/** Returns undefined for a text that is no reference. */
function parse(text: string): Reference | undefined {
  const {
    kind = '',
    name = '',
    field,
  } = /^(?<kind>[a-z-]+):(?<name>[^#]+)(?:#(?<field>.*))?$/.exec(text)?.groups ?? {};
  if (!isKind(kind) || text.length > MAX_REFERENCE_LENGTH || !FORMS[kind].name.test(name)) return undefined;
  const wanted = FORMS[kind].field;
  if (field === undefined) return wanted === 'required' ? undefined : { kind, name };
  return wanted === 'none' || !FIELD.test(field) ? undefined : { kind, name, field };
}

const EXAMPLES = Object.values(FORMS)
  .map(({ example }) => example)
  .join(', ');

const DEFAULT_CACHE_MS = 5 * MINUTE_MS;

/** Milliseconds; undefined for a text that is no duration up to a day. */
function cacheMsOf(text: string): number | undefined {
  const duration = parseDuration(text);
  const ms = duration === undefined ? Number.NaN : addDuration(0, duration);
  return ms >= 0 && ms <= DAY_MS ? ms : undefined;
}

type Home = { readonly name: string };

const NAMESPACE_WORD = '{namespace}';

/** The name of a source, or the beginning of its names, for a namespace; undefined if that may not use it. */
function nameFor({ namespace, name }: SecretSource, home: Home): string | undefined {
  if (namespace !== undefined) return namespace === '*' || namespace === home.name ? name : undefined;
  return name.replace(NAMESPACE_WORD, () => home.name);
}

/** Why a namespace may not use a reference; undefined if it may. */
function refusal(settings: Ports['settings'], home: Home, { kind, name }: Reference): string | undefined {
  const allowed = (settings.secretSources ?? []).flatMap((source) => {
    const own = nameFor(source, home);
    return own === undefined ? [] : [{ ...source, name: own }];
  });
  const covers = (source: SecretSource): boolean =>
    source.kind === kind && (source.isPrefix ? name.startsWith(source.name) : name === source.name);
  if (allowed.some(covers)) return undefined;
  const list = allowed.map((source) => `${source.kind}:${source.name}${source.isPrefix ? '*' : ''}`).join(', ');
  return (
    `namespace '${home.name}' may not use ${kind}:${name}; it may use ${list === '' ? 'no references' : list}: ` +
    "ask the operator to add it to the setting 'secretSources' or WEFT_SECRET_SOURCES"
  );
}

/**
 * Checks the text of a reference and its `cache`. Throws `malformed`, and `forbidden` if the operator does not let the
 * namespace use it. No message has a text that is no reference: it may be the secret.
 */
export function toExternalValue(
  { settings }: Pick<Ports, 'settings'>,
  home: Home,
  text: string,
  cache: string | undefined,
): ExternalValue {
  const reference = parse(text);
  if (reference === undefined) {
    throw new ServiceError('malformed', `the body is no reference to a secret; examples of references are ${EXAMPLES}`);
  }
  if (cache !== undefined && cacheMsOf(cache) === undefined) {
    throw new ServiceError('malformed', `'cache' is '${cache}'; it must be a duration from PT0S to P1D, such as PT5M`);
  }
  const reason = refusal(settings, home, reference);
  if (reason !== undefined) throw new ServiceError('forbidden', reason);
  return { reference: text, ...(cache === undefined ? {} : { cache }) };
}

/**
 * Reads the value of the secret `name` of a namespace where it is stored. Throws ExternalSecretError, also if the operator
 * does not let the namespace use the reference any longer; its message names the secret and the reference.
 */
export async function readExternal(
  { settings, externalSecrets }: Pick<Ports, 'settings' | 'externalSecrets'>,
  home: Home,
  name: string,
  { reference: text, cache }: ExternalValue,
): Promise<string> {
  try {
    const reference = parse(text);
    if (reference === undefined) throw new ExternalSecretError('refused', 'this version knows no such reference');
    const reason = refusal(settings, home, reference);
    if (reason !== undefined) throw new ExternalSecretError('refused', reason);
    const maxAgeMs = cache === undefined ? DEFAULT_CACHE_MS : (cacheMsOf(cache) ?? DEFAULT_CACHE_MS);
    return await externalSecrets.read(reference, maxAgeMs);
  } catch (error) {
    if (!(error instanceof ExternalSecretError)) throw error;
    throw new ExternalSecretError(error.problem, `secret '${name}' (${text}): ${error.message}`);
  }
}

/** Whether the name of a source, without `*`, has the form of names of its kind. */
function isWellFormed(kind: SecretKind, name: string, isPrefix: boolean): boolean {
  const [, rest, ...more] = name.split(NAMESPACE_WORD);
  const endsSegment = rest === undefined || rest === '' || rest.startsWith('/');
  const ends = !isPrefix || name.endsWith('/') || (kind === 'env' && rest === undefined && name !== '');
  const example = name.replace(NAMESPACE_WORD, 'n') + (isPrefix ? 'n' : '');
  return more.length === 0 && endsSegment && ends && FORMS[kind].name.test(example);
}

function toSource(entry: string): SecretSource {
  const found = /^(?:(?<namespace>[^:=]+)=)?(?<kind>[a-z-]+):(?<name>[^#*]*)(?<star>\*?)$/.exec(entry)?.groups ?? {};
  const { namespace, kind = '', name = '', star } = found;
  const isPrefix = star === '*';
  const hasWord = name.includes(NAMESPACE_WORD);
  if (!isKind(kind) || !isWellFormed(kind, name, isPrefix)) {
    throw new Error(`'${entry}' names no secrets; examples are aws-sm:weft/{namespace}/* and *=env:WEFT_SECRET_*`);
  }
  if (hasWord === (namespace !== undefined)) {
    const where = hasWord ? 'only one of the two: NAMESPACE= and {namespace}' : `team=${entry}, or *=${entry} for all`;
    throw new Error(`'${entry}' does not say which namespaces may use it: write ${where}`);
  }
  if (namespace !== undefined && namespace !== '*' && !isNamespaceName(namespace)) {
    throw new Error(`'${namespace}' in '${entry}' is no name of a namespace`);
  }
  return { kind, name, isPrefix, namespace };
}

/** What the names of a source have before the name of the namespace. */
const headOf = ({ kind, name }: SecretSource): string => `${kind}:${name.split(NAMESPACE_WORD)[0]}`;

/**
 * Reads the sources as the setting of an installation has them, separated by spaces or commas:
 * `aws-sm:weft/{namespace}/* team=vault:secret/team/* *=env:WEFT_SECRET_*`. Throws Error with a message for the operator, also
 * if by two sources one namespace could have the name under which another one has its secrets.
 */
export function secretSourcesIn(text: string): SecretSource[] {
  const sources = text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map(toSource);
  const heads = [...new Set(sources.filter(({ namespace }) => namespace === undefined).map(headOf))];
  for (const head of heads) {
    const inner = heads.find((other) => other !== head && other.startsWith(head));
    if (inner === undefined) continue;
    throw new Error(
      `${head}${NAMESPACE_WORD} overlaps ${inner}${NAMESPACE_WORD}: a namespace could have the name that the secrets of others begin with`,
    );
  }
  return sources;
}
