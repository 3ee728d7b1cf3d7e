import type { InputName } from './inputs.ts';

/** What the original's decoder says of a body when a value has the wrong type. */
export interface OriginalBody {
  /** Undefined: a map without a name. */
  readonly struct?: string;
  /** By field, where the type has another name there than in JSON. */
  readonly types?: Readonly<Record<string, string>>;
}

const MAP: OriginalBody = {};

/** The bodies whose texts clients know (rest-api reference, 1.3; recorded); the others are named in plain words. */
export const ORIGINAL_BODIES: { readonly [Name in InputName]?: OriginalBody } = {
  toggle: { struct: 'ToggleWorkflowRequest' },
  config: { struct: 'ConfigBroadcast' },
  jq: { struct: 'JQRequest', types: { data: '[]uint8' } },
  registry: MAP,
  registryName: MAP,
};
