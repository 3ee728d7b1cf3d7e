import type { RestorationReply } from '../../../clients/api/operations.ts';
import { call } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';

const CONFLICT = 409;

/**
 * Creates a deleted workflow again, or the workflows of a deleted folder, call by call: of the deletion with the revision
 * `ref`, or of the newest one. Throws ApiError with the first
 * workflow that could not be restored, after the others were.
 */
export async function restore(namespace: string, node: string, ref = ''): Promise<void> {
  const failed: { readonly path: string; readonly message: string }[] = [];
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const reply: RestorationReply = await call('restoreNode', { namespace, node }, { query: { cursor, ref } });
    failed.push(...reply.failed);
    cursor = reply.next;
  }
  const [first] = failed;
  if (first === undefined) return;
  throw new ApiError(CONFLICT, `${failed.length} could not be restored; ${first.path}: ${first.message}`);
}
