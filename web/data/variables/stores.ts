import type { Variable } from '../../../clients/api/operations.ts';
import { call, request, urlOf } from '../api/client.ts';
import { may } from '../api/session.ts';
import { follow, type StreamHandlers } from '../api/streams.ts';
import { download, type OnProgress, upload } from '../api/transfer.ts';

type Lists = StreamHandlers<readonly Variable[]>;

/** The variables of a namespace, a workflow or a run. */
export interface VariableStore {
  /** The owner of the variables, as a text. */
  readonly owner: string;
  readonly mayWrite: boolean;
  /** Streams the list. Returns the function that closes the stream. */
  follow(handlers: Lists): () => void;
  read(name: string, onProgress: OnProgress): Promise<Blob>;
  write(name: string, value: Blob, onProgress: OnProgress): Promise<void>;
  remove(name: string): Promise<void>;
}

type Reply = { readonly variables: { readonly results: readonly Variable[] } };

const listsOnly = (handlers: Lists): StreamHandlers<Reply> => ({
  ...handlers,
  onFrame: ({ variables }) => handlers.onFrame(variables.results),
});

/** The variables that all workflows of a namespace share. */
export function namespaceStore(namespace: string): VariableStore {
  const pathOf = (variable: string) => ({ namespace, variable });
  return {
    owner: `the namespace ${namespace}`,
    mayWrite: may('setNamespaceVariable'),
    follow: (handlers) => follow('listNamespaceVariables', { namespace }, {}, listsOnly(handlers)),
    read: (name, onProgress) => download(request('getNamespaceVariable', pathOf(name)), onProgress),
    write: (name, value, onProgress) => upload(urlOf('setNamespaceVariable', pathOf(name)), value, onProgress),
    remove: (name) => call('deleteNamespaceVariable', pathOf(name)),
  };
}

/** The variables that all runs of a workflow share. */
export function workflowStore(namespace: string, node: string): VariableStore {
  const path = { namespace, node };
  return {
    owner: `the workflow ${node}`,
    mayWrite: may('setWorkflowVariable'),
    follow: (handlers) => follow('listWorkflowVariables', path, {}, listsOnly(handlers)),
    read: (name, onProgress) => download(request('getWorkflowVariable', path, { query: { var: name } }), onProgress),
    write: (name, value, onProgress) => upload(urlOf('setWorkflowVariable', path, { var: name }), value, onProgress),
    remove: (name) => call('deleteWorkflowVariable', path, { query: { var: name } }),
  };
}

/** The variables of one run. */
export function instanceStore(namespace: string, instance: string): VariableStore {
  const pathOf = (variable: string) => ({ namespace, instance, variable });
  return {
    owner: 'the run',
    mayWrite: may('setInstanceVariable'),
    follow: (handlers) => follow('listInstanceVariables', { namespace, instance }, {}, listsOnly(handlers)),
    read: (name, onProgress) => download(request('getInstanceVariable', pathOf(name)), onProgress),
    write: (name, value, onProgress) => upload(urlOf('setInstanceVariable', pathOf(name)), value, onProgress),
    remove: (name) => call('deleteInstanceVariable', pathOf(name)),
  };
}
