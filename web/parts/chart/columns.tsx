import { numeric } from '../../data/format/text.ts';
import type { Bucket } from '../../data/runs/statistics.ts';
import { Legend } from '../legend/legend.tsx';

interface ColumnsProps {
  readonly label: string;
  readonly buckets: readonly Bucket[];
  /** The words below a column; empty for none. */
  readonly tickOf: (bucket: Bucket, index: number) => string;
  readonly hrefOf?: (bucket: Bucket) => string;
  /** The full description of a column. */
  readonly nameOf: (bucket: Bucket) => string;
}

const part = (value: number, most: number): string => `${(value / most) * 100}%`;

function Column({ bucket, most, name }: { readonly bucket: Bucket; readonly most: number; readonly name: string }) {
  const others = bucket.started - bucket.failed - bucket.complete - bucket.open;
  return (
    <span class="column-stack" title={name}>
      <span class="unseen">{name}</span>
      <span class="column-open" style={{ height: part(bucket.open, most) }} />
      <span class="column-other" style={{ height: part(others, most) }} />
      <span class="column-complete" style={{ height: part(bucket.complete, most) }} />
      <span class="column-failed" style={{ height: part(bucket.failed, most) }} />
    </span>
  );
}

const MEANINGS = [
  { look: 'meaning-bar column-failed', text: 'failed' },
  { look: 'meaning-bar column-complete', text: 'complete' },
  { look: 'meaning-bar column-other', text: 'cancelled' },
  { look: 'meaning-bar column-open', text: 'in progress' },
];

/** Runs in columns of equal time, failed runs at the bottom. */
export function Columns({ label, buckets, tickOf, hrefOf, nameOf }: ColumnsProps) {
  const most = Math.max(1, ...buckets.map(({ started }) => started));
  return (
    <figure class="columns" aria-label={label}>
      <span class="columns-most" aria-hidden="true">
        {numeric(most)}
      </span>
      <ol class="columns-list">
        {buckets.map((bucket, index) => (
          <li key={bucket.from} class="column">
            {hrefOf === undefined || bucket.started === 0 ? (
              <Column bucket={bucket} most={most} name={nameOf(bucket)} />
            ) : (
              <a class="column-link" href={hrefOf(bucket)}>
                <Column bucket={bucket} most={most} name={nameOf(bucket)} />
              </a>
            )}
            <span class="column-tick" aria-hidden="true">
              {tickOf(bucket, index)}
            </span>
          </li>
        ))}
      </ol>
      <figcaption class="columns-meanings">
        <Legend meanings={MEANINGS} />
      </figcaption>
    </figure>
  );
}
