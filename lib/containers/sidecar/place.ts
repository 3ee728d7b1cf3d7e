import { join } from 'node:path';

/** Where things are on this side. */
export interface Place {
  /** The function listens here. */
  readonly functionPort: number;
  /** What functions know as the service listens here. */
  readonly servicePort: number;
  /** The temporary directories of calls are in this folder. */
  readonly root: string;
}

/** What functions were made for (workflow-language reference, 11.2 and 11.5). */
export const PORTS = { functionPort: 8080, servicePort: 8889 } as const;

/** The temporary directory of a call, as its function sees it. */
export function folderOf({ root }: Place, actionId: string): string {
  return join(root, actionId);
}
