import { type Option, UsageError } from './command.ts';

const DEFAULT_LIMIT = '20';

/** The option `--limit` of a list. */
export const limitOption = (rows: string, order = 'the newest first') =>
  ({
    type: 'string',
    value: 'N',
    help: `maximum number of ${rows}, ${order} (default: ${DEFAULT_LIMIT})`,
  }) as const satisfies Option;

/** The value of `--limit`. Throws UsageError for a text that is no number. */
export function limitOf({ limit = DEFAULT_LIMIT }: { readonly limit?: string | undefined }): string {
  if (/^\d{1,9}$/.test(limit)) return limit;
  throw new UsageError(`--limit is '${limit}'; it must be a number`);
}
