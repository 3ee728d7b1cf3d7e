import type { Endpoints } from '../../../lib/api/http/call.ts';
import * as mirrors from '../../../lib/domain/tree/mirrors.ts';
import * as nodes from '../../../lib/domain/tree/nodes.ts';
import type { Table } from '../../../lib/ports/table.ts';

interface OfNode {
  readonly namespace: string;
  readonly node: string;
}

async function refuse(ports: { readonly table: Table }, { path }: { readonly path: OfNode }): Promise<void> {
  await nodes.need(ports, path.namespace, path.node);
  mirrors.refuse();
}

/** There are no mirrors: web interfaces recognise by this error that a node is not one. */
export const endpoints: Pick<
  Required<Endpoints<'tree'>>,
  'getMirror' | 'updateMirror' | 'lockMirror' | 'unlockMirror' | 'syncMirror'
> = {
  getMirror: refuse,
  updateMirror: refuse,
  lockMirror: refuse,
  unlockMirror: refuse,
  syncMirror: refuse,
};
