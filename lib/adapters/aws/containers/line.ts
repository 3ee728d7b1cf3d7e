import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { ContainerCall, ContainerResult } from '../../../ports/containers.ts';
import type { Post } from './mailbox.ts';

export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<unknown>;

/** By what a container is called. */
export interface Line {
  readonly client: LambdaClient;
  readonly post: Post;
  readonly pause: Pause;
}

/** When a call is left. */
export interface Bounds {
  /** It is not begun any more after this. */
  readonly begin: AbortSignal;
  /** It is not listened to any more after this, whatever the container says. */
  readonly end: AbortSignal;
  /** What is said when its deadline has come; that it has, if not given. */
  readonly late?: string;
}

/** Calls a version of a function. Throws what the signals say, and Lost. */
export type Invoke = (
  way: Omit<Line, 'client'>,
  version: string,
  call: ContainerCall,
  bounds: Bounds,
) => Promise<ContainerResult>;

/** The function is not there: it was deleted by somebody else, or with a former deployment. */
export class Lost extends Error {}
