/**
 * The end of a key after the id of a namespace: a day, the list of its listeners or tasks for workers; the number of a
 * partition.
 */
const AFTER_ID = /^#(?:listeners|worker-tasks|(?:worker-tasks-ended#)?\d{4}-\d\d-\d\d)(?:#\d+)?$/;
/** The beginning of the keys of events and listeners of a type and of runs with a label, before the id. */
const BEFORE_ID = /^(?:(?:events|listeners)(?:-\d+)?|labels)#/;

/** Whether a partition of a table or an index is one of those over which the rows of the namespace with this id are spread. */
export function isSpread(namespaceId: string, pk: string): boolean {
  if (pk.startsWith(namespaceId)) return AFTER_ID.test(pk.slice(namespaceId.length));
  return pk.replace(BEFORE_ID, '').startsWith(`${namespaceId}#`) && BEFORE_ID.test(pk);
}
