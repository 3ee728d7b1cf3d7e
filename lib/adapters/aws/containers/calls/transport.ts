import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { ContainerCall, ContainerResult } from '../../../../ports/containers.ts';
import type { ChannelStore } from './channel.ts';

/** Waits; rejects at the signal. */
export type Sleep = (milliseconds: number, signal: AbortSignal) => Promise<unknown>;

/** The client, the store and the sleep function that calls of containers use. */
export interface Transport {
  readonly client: LambdaClient;
  readonly store: ChannelStore;
  readonly sleep: Sleep;
}

/** When a call ends early. */
export interface CallLimits {
  /** After this signal the call is not started any more. */
  readonly begin: AbortSignal;
  /** After this signal the response is not read any more. */
  readonly end: AbortSignal;
  /** The message of the failure at the deadline; a default one if not given. */
  readonly late?: string;
}

/** Calls a version of a function. Throws the reasons of the signals, and FunctionMissingError. */
export type Invoke = (
  transport: Omit<Transport, 'client'>,
  version: string,
  call: ContainerCall,
  limits: CallLimits,
) => Promise<ContainerResult>;

/** The Lambda function does not exist: it was deleted outside of Weft, or with an earlier deployment. */
export class FunctionMissingError extends Error {
  override readonly name = 'FunctionMissingError';
}
