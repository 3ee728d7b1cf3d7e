import { useMemo } from 'preact/hooks';
import { saveAs } from '../../data/api/transfer.ts';
import { jsonIn } from '../../data/format/json.ts';
import { byteSize } from '../../data/format/text.ts';
import { type DataOperation, fetchData, type RunData, useRunData } from '../../data/runs/recorded-data.ts';
import { Button } from '../../parts/button/button.tsx';
import { Json } from '../../parts/json/json.tsx';
import { ErrorNote, Remark, Skeleton } from '../../parts/note/note.tsx';
import { CopyButton } from '../../parts/value/value.tsx';
import { Progress, useTransfer } from '../../parts/variables/transfer.tsx';

interface RunProps {
  readonly namespace: string;
  readonly id: string;
}

interface ShownProps {
  readonly title: string;
  /** Shown if there are no data. */
  readonly none: string;
  readonly data: RunData;
}

/** The data as a tree; as text if it is not JSON or only its beginning was read. */
function Shown({ title, none, data }: ShownProps) {
  const value = useMemo(() => (data.isWhole ? jsonIn(data.text) : undefined), [data]);
  if (data.text === '') return <p class="quiet">{none}</p>;
  if (value !== undefined) return <Json value={value} label={title} />;
  return (
    <>
      {!data.isWhole && (
        <Remark>
          {data.size === undefined ? 'It is large' : `It has ${byteSize(data.size)}`}: the first{' '}
          {byteSize(data.text.length)} are shown. Download it to see all.
        </Remark>
      )}
      <pre class="plain-text">
        {data.text}
        {!data.isWhole && '…'}
      </pre>
    </>
  );
}

interface DataProps extends RunProps {
  readonly title: string;
  readonly none: string;
  /** Undefined: the data does not exist yet. */
  readonly operation: DataOperation | undefined;
}

/** Data of the run with its size, to copy and to download. */
function Data({ namespace, id, title, none, operation }: DataProps) {
  const path = { namespace, instance: id };
  const { value, error, reload } = useRunData(operation ?? 'getInstanceOutput', operation && path);
  const data = value.value;
  const transfer = useTransfer();
  const name = title.toLowerCase();
  const save = () =>
    operation &&
    transfer.run(async (onProgress) => saveAs(`${id}.${name}.json`, await fetchData(operation, path, onProgress)));
  return (
    <section class="data-part" aria-label={title}>
      <div class="line">
        <h2 class="minor grows">
          {title} {data?.size !== undefined && data.size > 0 && <span class="quiet">{byteSize(data.size)}</span>}
        </h2>
        {data?.isWhole && data.text !== '' && <CopyButton text={data.text} label={`Copy the ${name}`} />}
        {data !== undefined && data.text !== '' && (
          <Button kind="bare" icon="download" label={`Download the ${name}`} onClick={save} />
        )}
      </div>
      <Progress transfer={transfer} />
      {error.value && <ErrorNote title={`The ${name} cannot be shown`} error={error.value} onRetry={reload} />}
      {operation === undefined && <p class="quiet">{none}</p>}
      {operation !== undefined && data === undefined && !error.value && <Skeleton lines={4} />}
      {data !== undefined && <Shown {...{ title, none, data }} />}
    </section>
  );
}

/** The output and the input of the run. */
export function DataTab({ namespace, id, isOver }: RunProps & { readonly isOver: boolean }) {
  const noOutput = isOver
    ? 'The run ended without output.'
    : 'The run is in progress: its output is stored at its end.';
  return (
    <div class="tab-body">
      <Data
        {...{ namespace, id }}
        title="Output"
        none={noOutput}
        operation={isOver ? 'getInstanceOutput' : undefined}
      />
      <Data {...{ namespace, id }} title="Input" none="The run began without input." operation="getInstanceInput" />
    </div>
  );
}

/** The metadata of the run, which its states set. */
export function MetadataTab({ namespace, id }: RunProps) {
  const none = 'No metadata. A state sets it by its field “metadata”.';
  return (
    <div class="tab-body">
      <Data {...{ namespace, id }} title="Metadata" none={none} operation="getInstanceMetadata" />
    </div>
  );
}
