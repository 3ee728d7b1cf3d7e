import type { Signal } from '@preact/signals';
import type { PageInfo } from '../../../clients/api/operations.ts';
import { into } from '../../data/api/task.ts';
import { numeric } from '../../data/format/text.ts';
import { Button } from '../button/button.tsx';

interface PagesProps {
  /** The shown page; undefined until it is read. */
  readonly info: PageInfo | undefined;
  /** The number of its rows. */
  readonly count: number;
  /** The number of rows before the page. */
  readonly from: Signal<number>;
}

/** Leads to the other pages of a list; nothing while all rows are on one page. */
export function Pages({ info, count, from }: PagesProps) {
  if (info === undefined || count >= info.total) return null;
  const first = info.offset;
  return (
    <p class="none">
      {numeric(first + 1)} to {numeric(first + count)} of {numeric(info.total)}{' '}
      <Button disabled={first === 0} onClick={() => into(from)(0)}>
        First
      </Button>{' '}
      <Button disabled={first + count >= info.total} onClick={() => into(from)(first + count)}>
        Next
      </Button>
    </p>
  );
}
