import { useLoad } from '../../data/api/live.ts';
import { textOfBase64 } from '../../data/format/text.ts';
import { Json } from '../../parts/json/json.tsx';
import { ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { CopyButton } from '../../parts/value/value.tsx';

interface DataTabProps {
  readonly namespace: string;
  readonly id: string;
  readonly isOver: boolean;
}

interface Parsed {
  readonly value?: unknown;
  readonly text: string;
}

function parsed(data: string): Parsed {
  const text = textOfBase64(data);
  try {
    return { value: JSON.parse(text), text };
  } catch {
    return { text };
  }
}

interface DataProps {
  readonly title: string;
  /** What stands in the place of no data. */
  readonly none: string;
  readonly data: string | undefined;
}

function Data({ title, none, data }: DataProps) {
  if (data === undefined) return <Skeleton lines={4} />;
  const { value, text } = parsed(data);
  return (
    <section class="data-part" aria-label={title}>
      <div class="line">
        <h2 class="minor grows">{title}</h2>
        {text !== '' && <CopyButton text={text} label={`Copy the ${title.toLowerCase()}`} />}
      </div>
      {text === '' && <p class="quiet">{none}</p>}
      {text !== '' && value === undefined && <pre class="plain-text">{text}</pre>}
      {value !== undefined && <Json value={value} label={title} />}
    </section>
  );
}

/** What the run began with and what it ended with. */
export function DataTab({ namespace, id, isOver }: DataTabProps) {
  const path = { namespace, instance: id };
  const input = useLoad('getInstanceInput', path);
  const output = useLoad('getInstanceOutput', isOver ? path : undefined);
  const error = input.error.value ?? output.error.value;
  if (error !== undefined) return <ErrorNote title="The data cannot be shown" error={error} onRetry={input.reload} />;
  const noOutput = isOver
    ? 'The run ended without output.'
    : 'The run is in progress: its output is stored at its end.';
  return (
    <div class="tab-body">
      <Data title="Input" none="The run began without input." data={input.value.value?.data} />
      <Data title="Output" none={noOutput} data={isOver ? output.value.value?.data : ''} />
    </div>
  );
}

/** What the run noted about itself. */
export function MetadataTab({ namespace, id }: Pick<DataTabProps, 'namespace' | 'id'>) {
  const metadata = useLoad('getInstanceMetadata', { namespace, instance: id });
  const error = metadata.error.value;
  if (error !== undefined)
    return <ErrorNote title="The metadata cannot be shown" error={error} onRetry={metadata.reload} />;
  const none = 'No metadata. A state sets it by its field “metadata”.';
  return (
    <div class="tab-body">
      <Data title="Metadata" none={none} data={metadata.value.value?.data} />
    </div>
  );
}
