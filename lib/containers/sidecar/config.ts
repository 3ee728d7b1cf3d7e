import { join } from 'node:path';

/** The ports and the folder of a sidecar. */
export interface SidecarConfig {
  /** The port of the function. */
  readonly functionPort: number;
  /** The port of the sidecar, under which functions reach the service. */
  readonly servicePort: number;
  /** The folder of the temporary directories of calls. */
  readonly root: string;
}

/** The ports that functions are made for (workflow-language reference, 11.2 and 11.5). */
export const DEFAULT_PORTS = { functionPort: 8080, servicePort: 8889 } as const;

/** The temporary directory of a call. */
export function callFolder({ root }: SidecarConfig, actionId: string): string {
  return join(root, actionId);
}
