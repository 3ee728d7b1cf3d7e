import type { Node } from 'constructs';
import { packageVersion } from '../../lib/adapters/portable/package.ts';
import { type RawSettings, READERS } from './readers.ts';
import type { Settings } from './settings.ts';

/** How an error message names a setting and its value. */
type Naming = (key: string, value: string) => string;

const contextValue: Naming = (key, value) => `the context value ${key}=${value}`;
const property: Naming = (key, value) => `the property ${key}: ${value}`;

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function readSettings(given: RawSettings, naming: Naming): Settings {
  const values = Object.entries(READERS).map(([key, { read, fallback }]) => {
    const value = given[key] ?? fallback;
    try {
      return [key, value === undefined ? undefined : read(value)];
    } catch (error) {
      throw new Error(`${naming(key, toText(value))} ${(error as Error).message}`);
    }
  });
  const settings = { ...Object.fromEntries(values), version: packageVersion() } as Settings;
  for (const [key, needed] of REQUIRED_TOGETHER) {
    if (settings[key] === undefined || settings[needed] !== undefined) continue;
    throw new Error(`${naming(key, toText(settings[key]))} needs ${needed} as well`);
  }
  if (settings.rootKey !== undefined && settings.kms !== false) {
    throw new Error(`${naming('rootKey', settings.rootKey)} and kms exclude each other: secrets have one root key`);
  }
  if (settings.vpcEndpoints.length > 0 && settings.domain !== undefined) {
    throw new Error(
      `${naming('domain', settings.domain)} and vpcEndpoints exclude each other: a private API has no public name`,
    );
  }
  if (settings.rollout !== 'AllAtOnce' && settings.alarms === undefined) {
    throw new Error(`${naming('rollout', settings.rollout)} needs alarms as well: an alarm rolls the functions back`);
  }
  return settings;
}

/** Pairs of settings: the first one needs the second one. */
const REQUIRED_TOGETHER = [
  ['domain', 'certificate'],
  ['budget', 'alarms'],
  ['certificate', 'domain'],
] as const satisfies readonly (readonly [keyof Settings, keyof Settings])[];

/** Context values of CDK itself contain other characters, so that a plain word is one of these settings, or misspelt. */
const PLAIN_WORD = /^[a-z][A-Za-z]*$/;

/** Reads the settings from the context of the app. Throws for an invalid value and for an unknown setting. */
export function settingsOf(node: Node): Settings {
  const context = node.getAllContext() as RawSettings;
  const unknown = Object.keys(context).find((key) => PLAIN_WORD.test(key) && !Object.hasOwn(READERS, key));
  if (unknown === undefined) return readSettings(context, contextValue);
  const known = Object.keys(READERS).join(', ');
  throw new Error(`${contextValue(unknown, toText(context[unknown]))} is no setting; the settings are ${known}`);
}

/** Reads the settings from the properties of a construct. Throws for an invalid value. */
export const settingsWith = (props: Partial<Settings>): Settings => readSettings({ ...props }, property);
