import type { ConfigReply } from '../../../clients/api/operations.ts';
import type { Loaded } from '../../data/api/live.ts';

/** A part of the page: the settings of a namespace as they were loaded. */
export interface PartProps {
  readonly namespace: string;
  readonly config: Loaded<ConfigReply>;
}
