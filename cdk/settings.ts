import { readFileSync } from 'node:fs';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import { z } from 'zod/mini';

/** What an installation can be told: `npm run cdk -- deploy -c name=flows -c brand=direktiv`. */
export interface Settings {
  /** Names the stack, the admin key's parameter and the state machines: two installations need two names. */
  readonly name: string;
  /** The word in error codes, headers and event sources: `service`, or `direktiv` for drop-in use. */
  readonly brand: string;
  /** Replies are streamed; false for an emulator that cannot. */
  readonly streaming: boolean;
  /** Tables and blobs outlive the stack. */
  readonly retain: boolean;
  /** How many days logs are kept. */
  readonly logDays: RetentionDays;
  /** Events of other buses that go into namespaces (docs/open-bus.md). */
  readonly inbound: readonly Inbound[];
  /** Events of namespaces that go to targets. */
  readonly outbound: readonly Outbound[];
  /** What GET /version answers. */
  readonly version: string;
}

/** Which events of a bus go into a namespace. */
export interface Inbound {
  readonly namespace: string;
  /** The name of a bus of this account and region; without it, the account's own, which AWS services tell. */
  readonly bus?: string | undefined;
  /** An event pattern as EventBridge writes it. */
  readonly pattern: Readonly<Record<string, unknown>>;
}

/** Which events of namespaces go to a target. Names and types may be patterns such as `{"prefix": "com."}`. */
export interface Outbound {
  /** All namespaces if not given. */
  readonly namespaces?: readonly unknown[] | undefined;
  /** All types if not given. */
  readonly types?: readonly unknown[] | undefined;
  /** The ARN of a queue, topic, function, stream or whatever else EventBridge delivers to. */
  readonly target: string;
  /** The ARN of the role to deliver as, for the targets that want one. */
  readonly role?: string | undefined;
}

const NAME = /^(?!aws|ssm)[a-z][a-z0-9-]{0,23}$/;
// Sources that begin with `aws.` are refused by EventBridge.
const BRAND = /^(?!aws$)[a-z][a-z0-9]{0,23}$/;
const DAYS = Object.values(RetentionDays).filter((value) => typeof value === 'number');

function textOf(node: Node, key: string, fallback: string, pattern: RegExp): string {
  const value = String(node.tryGetContext(key) ?? fallback);
  if (!pattern.test(value)) throw new Error(`the context ${key}=${value} does not match ${pattern}`);
  return value;
}

const isOn = (node: Node, key: string): boolean => textOf(node, key, 'true', /^(true|false)$/) === 'true';

function daysOf(node: Node): RetentionDays {
  const value = Number(node.tryGetContext('logDays') ?? RetentionDays.ONE_MONTH);
  if (!DAYS.includes(value)) throw new Error(`the context logDays=${value} is none of ${DAYS.join(', ')}`);
  return value;
}

const patterns = z.array(z.union([z.string(), z.record(z.string(), z.unknown())])).check(z.minLength(1));
const arn = z.string().check(z.regex(/^arn:/));
const SHAPES = {
  inbound: z.array(
    z.strictObject({
      namespace: z.string(),
      bus: z.optional(z.string()),
      pattern: z.record(z.string(), z.unknown()),
    }),
  ),
  outbound: z.array(
    z.strictObject({
      namespaces: z.optional(patterns),
      types: z.optional(patterns),
      target: arn,
      role: z.optional(arn),
    }),
  ),
};

/** A list, from cdk.json, or its JSON text, from the command line. */
function listOf<Key extends keyof typeof SHAPES>(node: Node, key: Key): z.infer<(typeof SHAPES)[Key]> {
  const told: unknown = node.tryGetContext(key) ?? [];
  const { data, error } = SHAPES[key].safeParse(typeof told === 'string' ? parsed(told) : told);
  if (error === undefined) return data as z.infer<(typeof SHAPES)[Key]>;
  const [{ path, message } = { path: [], message: '' }] = error.issues;
  throw new Error(`the context ${key}=${JSON.stringify(told)} is no list of routes: ${path.join('.')} ${message}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function versionOf(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** Reads the settings from the app's context. Throws for a value that is none. */
export function settingsOf(node: Node): Settings {
  return {
    name: textOf(node, 'name', 'weft', NAME),
    brand: textOf(node, 'brand', 'service', BRAND),
    streaming: isOn(node, 'streaming'),
    retain: isOn(node, 'retain'),
    logDays: daysOf(node),
    inbound: listOf(node, 'inbound'),
    outbound: listOf(node, 'outbound'),
    version: versionOf(),
  };
}
