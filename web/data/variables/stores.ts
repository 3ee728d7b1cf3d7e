import type { PageInfo, Variable } from '../../../clients/api/operations.ts';
import { call, request, urlOf } from '../api/client.ts';
import { may } from '../api/session.ts';
import { follow, type StreamHandlers } from '../api/streams.ts';
import { download, type OnProgress, upload } from '../api/transfer.ts';

/** A page of a list of variables. */
export interface VariableList {
  readonly pageInfo: PageInfo;
  readonly results: readonly Variable[];
}

type Lists = StreamHandlers<VariableList>;

/** The variables of a namespace, a workflow or a run. */
export interface VariableStore {
  /** The owner of the variables, as a text. */
  readonly owner: string;
  readonly mayWrite: boolean;
  /** Streams the page of the list after `offset` rows. Returns the function that closes the stream. */
  follow(offset: number, handlers: Lists): () => void;
  read(name: string, onProgress: OnProgress): Promise<Blob>;
  write(name: string, value: Blob, onProgress: OnProgress): Promise<void>;
  remove(name: string): Promise<void>;
}

type Reply = { readonly variables: VariableList };

const listsOnly = (handlers: Lists): StreamHandlers<Reply> => ({
  ...handlers,
  onFrame: ({ variables }) => handlers.onFrame(variables),
});

/** The variables that all workflows of a namespace share. */
export function namespaceStore(namespace: string): VariableStore {
  const pathOf = (variable: string) => ({ namespace, variable });
  return {
    owner: `the namespace ${namespace}`,
    mayWrite: may('setNamespaceVariable'),
    follow: (offset, handlers) =>
      follow('listNamespaceVariables', { namespace }, { query: { offset } }, listsOnly(handlers)),
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
    follow: (offset, handlers) => follow('listWorkflowVariables', path, { query: { offset } }, listsOnly(handlers)),
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
    follow: (offset, handlers) =>
      follow('listInstanceVariables', { namespace, instance }, { query: { offset } }, listsOnly(handlers)),
    read: (name, onProgress) => download(request('getInstanceVariable', pathOf(name)), onProgress),
    write: (name, value, onProgress) => upload(urlOf('setInstanceVariable', pathOf(name)), value, onProgress),
    remove: (name) => call('deleteInstanceVariable', pathOf(name)),
  };
}
