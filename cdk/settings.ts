import { readFileSync } from 'node:fs';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';

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
  /** What GET /version answers. */
  readonly version: string;
}

const NAME = /^(?!aws|ssm)[a-z][a-z0-9-]{0,23}$/;
const BRAND = /^[a-z][a-z0-9]{0,23}$/;
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
    version: versionOf(),
  };
}
