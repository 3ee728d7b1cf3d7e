import type { EndpointsOf } from '../../../lib/api/http/endpoints.ts';
import type { mirrors as routes } from '../../../lib/api/registry/routes/mirrors.ts';
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

/** Weft has no mirrors. Web interfaces conclude from the refusal that the node is not a mirror. */
export const endpoints: EndpointsOf<keyof typeof routes> = {
  getMirror: refuse,
  updateMirror: refuse,
  lockMirror: refuse,
  unlockMirror: refuse,
  syncMirror: refuse,
};
