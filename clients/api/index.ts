export {
  type CallOptions,
  type ClientSettings,
  createClient,
  type OperationName,
  type StreamName,
  type WeftClient,
  WeftError,
} from './client.ts';
export type * from './operations.ts';
