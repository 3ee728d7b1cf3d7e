import type { InputName } from '../registry/shapes/inputs.ts';

/** The names in the original decoder's messages about values of a wrong type. */
export interface OriginalBody {
  /** Undefined for a map, which has no name. */
  readonly struct?: string;
  /** The types of fields whose name is not that of the JSON type. */
  readonly types?: Readonly<Record<string, string>>;
}

const MAP: OriginalBody = {};

/** The bodies whose messages clients know (rest-api reference, 1.3; recorded). Those of others use plain names. */
export const ORIGINAL_BODIES: { readonly [Name in InputName]?: OriginalBody } = {
  toggle: { struct: 'ToggleWorkflowRequest' },
  config: { struct: 'ConfigBroadcast' },
  jq: { struct: 'JQRequest', types: { data: '[]uint8' } },
  registry: MAP,
  registryName: MAP,
};
