import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import { packageVersion } from '../../lib/adapters/portable/package.ts';
import { type Given, READERS } from './values.ts';

/** What an installation can be told: `npm run cdk -- deploy --all -c name=flows -c brand=direktiv`. */
export interface Settings {
  /** Names the stacks, the tables, the keys and the state machines: two installations need two names. */
  readonly name: string;
  /** The word in error codes, headers and event sources: `service`, or `direktiv` for drop-in use. */
  readonly brand: string;
  /** Replies are streamed; false for an emulator that cannot. */
  readonly streaming: boolean;
  /** The catalog, the blobs and the keys outlive their stack. */
  readonly retain: boolean;
  /** The stack of the data refuses to be deleted. */
  readonly protect: boolean;
  /**
   * What wraps the data keys of secrets: false is a random key in an encrypted parameter ($0), true a key of the key
   * management service that is made ($1 a month), an ARN a key of one's own there.
   */
  readonly kms: boolean | string;
  /** An encrypted parameter of one's own, with 32 bytes in base64, in place of the one that is made. */
  readonly rootKey: string | undefined;
  /** How many days the functions' own logs are kept. */
  readonly logDays: RetentionDays;
  /** How many days the logs of the server, of namespaces and of workflows reach back. */
  readonly retentionDays: number;
  /** Events of other buses that go into namespaces (docs/open-bus.md). */
  readonly inbound: readonly Inbound[];
  /** Events of namespaces that go to targets. */
  readonly outbound: readonly Outbound[];
  /** A domain name of one's own for the interface, with a certificate for it. */
  readonly domain: string | undefined;
  /** The ARN of that certificate, of the same region. */
  readonly certificate: string | undefined;
  /** Who is told when something goes wrong: a mail address, or the ARN of a topic. */
  readonly alarms: string | undefined;
  /** A dashboard in CloudWatch. */
  readonly dashboard: boolean;
  /** Functions count what they do into metrics of CloudWatch's (lib/ports/meter.ts), which are paid for. */
  readonly metrics: boolean;
  /** Requests and functions are traced by X-Ray. */
  readonly tracing: boolean;
  /** On everything that the stacks make. */
  readonly tags: Readonly<Record<string, string>>;
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

/** How a message names a setting. */
type Naming = (key: string, value: string) => string;

const ofContext: Naming = (key, value) => `the context ${key}=${value}`;
const ofProperty: Naming = (key, value) => `the property ${key}: ${value}`;

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function checked(given: Given, naming: Naming): Settings {
  const values = Object.entries(READERS).map(([key, { read, fallback }]) => {
    const value = given[key] ?? fallback;
    try {
      return [key, value === undefined ? undefined : read(value)];
    } catch (error) {
      throw new Error(`${naming(key, toText(value))} ${(error as Error).message}`);
    }
  });
  const settings = { ...Object.fromEntries(values), version: packageVersion() } as Settings;
  for (const [key, needed] of PAIRS) {
    if (settings[key] === undefined || settings[needed] !== undefined) continue;
    throw new Error(`${naming(key, toText(settings[key]))} needs ${needed} as well`);
  }
  if (settings.rootKey !== undefined && settings.kms !== false) {
    throw new Error(`${naming('rootKey', settings.rootKey)} and kms exclude each other: secrets have one root key`);
  }
  return settings;
}

/** Settings of which the first says nothing without the second. */
const PAIRS = [
  ['domain', 'certificate'],
  ['certificate', 'domain'],
] as const satisfies readonly (readonly [keyof Settings, keyof Settings])[];

/** Words of the tools of CDK have other signs in them, so a plain word is one of ours, or was meant to be. */
const PLAIN_WORD = /^[a-z][A-Za-z]*$/;

/** Reads the settings from the app's context. Throws for a value that is none, and for a word that is no setting. */
export function settingsOf(node: Node): Settings {
  const context = node.getAllContext() as Given;
  const unknown = Object.keys(context).find((key) => PLAIN_WORD.test(key) && !Object.hasOwn(READERS, key));
  if (unknown === undefined) return checked(context, ofContext);
  const known = Object.keys(READERS).join(', ');
  throw new Error(`${ofContext(unknown, toText(context[unknown]))} is no setting; the settings are ${known}`);
}

/** Reads the settings from the properties of a construct. Throws for a value that is none. */
export const settingsWith = (props: Partial<Settings>): Settings => checked(props as Given, ofProperty);
