import { isObject } from '../../language/json.ts';
import { parseJson } from '../../language/json-numbers.ts';
import { ownMember, textOf } from '../../language/own-members.ts';

/** An error of a call or of a run. */
export interface BundledError {
  readonly code: string;
  readonly message: string;
}

/** A call that returned. Times are milliseconds: after the start of the run, and of the call. */
export interface BundledCall {
  readonly function: string;
  readonly state: string;
  readonly after: number;
  readonly took: number;
  readonly return?: unknown;
  readonly error?: BundledError;
}

/** All that a run saw, as `weft instances bundle` writes it. */
export interface Bundle {
  readonly instance: { readonly id: string; readonly startedAt: string };
  readonly workflow: { readonly path: string; readonly source: string };
  readonly input: unknown;
  readonly calls: readonly BundledCall[];
  readonly events: readonly { readonly after: number; readonly event: Readonly<Record<string, unknown>> }[];
  /** The decisions of approvals. Absent: an older program wrote the bundle, which has none. */
  readonly decisions?: readonly {
    readonly after: number;
    readonly state: string;
    readonly choice: string;
    readonly form?: Readonly<Record<string, unknown>>;
    readonly by?: string;
    readonly from?: string;
  }[];
  readonly variables: {
    readonly namespace: Readonly<Record<string, unknown>>;
    readonly workflow: Readonly<Record<string, unknown>>;
  };
  readonly secrets: readonly string[];
  readonly outcome: {
    readonly status: 'complete' | 'failed' | 'crashed';
    readonly error?: BundledError;
    readonly output?: unknown;
    readonly states: readonly string[];
    readonly took: number;
  };
  /** The parts that the bundle lacks, for the user. */
  readonly notes: readonly string[];
}

const VERSION = 1;

/** The members of a bundle with the test of each. */
const MEMBERS: Readonly<Record<keyof Bundle, (value: unknown) => boolean>> = {
  instance: (value) => isObject(value) && !Number.isNaN(Date.parse(textOf(value['startedAt']))),
  workflow: (value) => isObject(value) && typeof value['path'] === 'string' && typeof value['source'] === 'string',
  input: () => true,
  calls: (value) => Array.isArray(value) && value.every((one) => isObject(one) && typeof one['function'] === 'string'),
  events: (value) => Array.isArray(value) && value.every((one) => isObject(one) && isObject(one['event'])),
  decisions: (value) =>
    value === undefined ||
    (Array.isArray(value) && value.every((one) => isObject(one) && typeof one['choice'] === 'string')),
  variables: (value) => isObject(value) && isObject(value['namespace']) && isObject(value['workflow']),
  secrets: Array.isArray,
  outcome: (value) => isObject(value) && Array.isArray(value['states']),
  notes: Array.isArray,
};

function toValue(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Reads a bundle. Returns the problem, as a text for the user, if the text is not a bundle. */
export function readBundle(text: string): { readonly bundle: Bundle } | { readonly problem: string } {
  const value = toValue(text);
  if (!isObject(value) || value['weftBundle'] === undefined) {
    return { problem: "is no bundle; 'weft instances bundle ID' writes one" };
  }
  if (value['weftBundle'] !== VERSION) {
    return {
      problem: `is a bundle of version ${textOf(value['weftBundle'])}, and this program reads ${VERSION}; update it`,
    };
  }
  const wrong = Object.entries(MEMBERS).find(([name, isValid]) => !isValid(ownMember(value, name)));
  if (wrong !== undefined) return { problem: `is no complete bundle: '${wrong[0]}' is missing or wrong` };
  return { bundle: value as unknown as Bundle };
}
