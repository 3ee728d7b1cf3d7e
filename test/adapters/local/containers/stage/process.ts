/**
 * A process of its own for the kill test: `node process.ts FOLDER IMAGE` prepares a revision in the folder, calls it
 * once and tells its pod; the revision stays warm until the process is killed.
 */
import { callingContainers, revisionOf } from './caller.ts';

const [folder, image = ''] = process.argv.slice(2);
const { call, statusOf, prepared } = callingContainers({ folder });
const revision = revisionOf(image, { id: 'kept-00001', minScale: 1 });
await prepared(revision);
const { failure } = await call(revision.id, { do: 'echo' });
const { pods } = await statusOf(revision.id);
console.log(JSON.stringify({ failure, pod: pods[0]?.name }));
