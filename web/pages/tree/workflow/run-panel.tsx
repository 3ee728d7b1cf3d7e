import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { call } from '../../../data/api/client.ts';
import { useRead } from '../../../data/api/live.ts';
import { into, useTask } from '../../../data/api/task.ts';
import { prettyJson, readJson } from '../../../data/format/json.ts';
import { cutMiddle } from '../../../data/format/text.ts';
import { addresses } from '../../../data/navigation/addresses.ts';
import { go } from '../../../data/navigation/location.ts';
import { inputSchema } from '../../../data/workflow/input-schema.ts';
import { useReading } from '../../../data/workflow/reading.ts';
import { type PastInput, pastInputs } from '../../../data/workflow/runs.ts';
import { Editor } from '../../../parts/editor/editor.tsx';
import { Form } from '../../../parts/form/form.tsx';
import { SchemaForm } from '../../../parts/form/schema-form.tsx';
import { Remark } from '../../../parts/note/note.tsx';
import { Time } from '../../../parts/value/value.tsx';

const MOST_INPUTS = 5;

/** Inputs of earlier runs; a click uses one. */
function PastInputs({
  inputs,
  onTake,
}: {
  readonly inputs: readonly PastInput[];
  readonly onTake: (text: string) => void;
}) {
  if (inputs.length === 0) return null;
  return (
    <section aria-label="Earlier inputs">
      <h2 class="minor">Earlier inputs</h2>
      <ul>
        {inputs.map(({ run, text }) => (
          <li key={run.id}>
            <button type="button" class="past-input" onClick={() => onTake(prettyJson(text))}>
              <code class="grows cut">{text.replace(/\s+/g, ' ')}</code>
              <span class="quiet">
                <Time at={run.createdAt} />
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface RunPanelProps {
  readonly namespace: string;
  readonly path: string;
  /** The stored text, which is executed, not the text of the editor. */
  readonly source: string;
  readonly isChanged: boolean;
}

/** Starts a workflow with an input as JSON, and by a form if the workflow has a schema. */
export function RunPanel({ namespace, path, source, isChanged }: RunPanelProps) {
  const text = useSignal('{}');
  const task = useTask();
  // Optional: an error is not shown.
  const inputs = useRead(['inputs', namespace, path], () => pastInputs(namespace, path, MOST_INPUTS)).value.value ?? [];
  const reading = useReading();
  const schema = useMemo(() => inputSchema(reading.documentOf(source)), [source, reading.isLoaded]);
  const read = readJson(text.value.trim() === '' ? '{}' : text.value);
  const problem = 'problem' in read ? read.problem : undefined;
  const start = async () => {
    const { instance } = await call('executeWorkflow', { namespace, node: path }, { body: text.value });
    go(addresses.run(namespace, instance));
  };
  const more = <span class="quiet cut">{cutMiddle(path, 24, 16)}</span>;
  return (
    <div class="stack">
      {isChanged && <Remark>What is stored runs, not what is written in the editor.</Remark>}
      <Form
        {...{ task, more }}
        work={start}
        act="Start"
        icon="play"
        isDisabled={problem !== undefined}
        failure="Nothing was started"
      >
        {schema !== undefined && <SchemaForm schema={schema} text={text.value} onChange={into(text)} />}
        <div class="stack">
          <h2 class="minor">Input</h2>
          <Editor isSmall language="json" label="Input" value={text.value} onChange={into(text)} />
          {problem !== undefined && <p class="field-note wrong">It is {problem}</p>}
        </div>
      </Form>
      <PastInputs inputs={inputs} onTake={into(text)} />
    </div>
  );
}
