import type { NativeFunction } from '../../http/outcome.ts';
import type { ImageInput } from './call.ts';
import { imageFunction } from './call.ts';

/** `direktiv/functions/echo` returns its input (docs/native-images.md). */
export const echo: NativeFunction = async (_context, stored) => ({ value: (stored as ImageInput).input });

/** `direktiv/debug` returns its input, which is an object (docs/native-images.md). */
export const debug = imageFunction('com.debug.error', async ({ fields }) => fields);
