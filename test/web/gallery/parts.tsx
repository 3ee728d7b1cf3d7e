import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { into } from '../../../web/data/api/task.ts';
import { duration } from '../../../web/data/format/time.ts';
import { STATUS_WORDS, type Status } from '../../../web/data/runs/status.ts';
import { Button } from '../../../web/parts/button/button.tsx';
import { Columns } from '../../../web/parts/chart/columns.tsx';
import { Lines } from '../../../web/parts/chart/lines.tsx';
import { Confirm } from '../../../web/parts/confirm/confirm.tsx';
import { Diagram } from '../../../web/parts/diagram/diagram.tsx';
import { Diff } from '../../../web/parts/diff/diff.tsx';
import { Editor } from '../../../web/parts/editor/editor.tsx';
import { AreaField, SelectField, Switch, TextField } from '../../../web/parts/field/field.tsx';
import { Figures } from '../../../web/parts/figures/figures.tsx';
import { Icon } from '../../../web/parts/icon/icon.tsx';
import { Json } from '../../../web/parts/json/json.tsx';
import { LiveMark } from '../../../web/parts/live/live.tsx';
import { Log } from '../../../web/parts/log/log.tsx';
import { Menu } from '../../../web/parts/menu/menu.tsx';
import { Empty, ErrorNote, Remark, Skeleton } from '../../../web/parts/note/note.tsx';
import { Source } from '../../../web/parts/source/source.tsx';
import { StatusWord } from '../../../web/parts/status/status.tsx';
import { Table } from '../../../web/parts/table/table.tsx';
import { Timeline } from '../../../web/parts/timeline/timeline.tsx';
import { Duration, Id, Time } from '../../../web/parts/value/value.tsx';
import {
  BUCKETS,
  CHANGED_SOURCE,
  GRAPH,
  HOSTILE,
  LARGE_GRAPH,
  LINES,
  PROBLEMS,
  SOURCE,
  STEPS,
  STEPS_FROM,
  STEPS_TO,
  VALUE,
  WAY,
} from './samples.ts';

function Buttons() {
  return (
    <div class="line wraps">
      <Button kind="primary" icon="play">
        Run
      </Button>
      <Button icon="retry">Run again</Button>
      <Button kind="danger" icon="trash">
        Delete
      </Button>
      <Button kind="bare">Leave</Button>
      <Button icon="plus" label="Add" />
      <Button disabled>Not now</Button>
      <Button isBusy>Busy</Button>
      <Confirm label="Cancel" icon="stop" onConfirm={() => Promise.reject(new Error('the run has ended'))}>
        Ends the run. What it has done is not undone.
      </Confirm>
      <Menu
        label="Menu"
        items={[
          { label: 'Rename', icon: 'edit' },
          { label: 'Delete', icon: 'trash', isDanger: true },
        ]}
      >
        <Icon name="more" />
      </Menu>
    </div>
  );
}

function Fields() {
  const text = useSignal('orders');
  const isOn = useSignal(true);
  return (
    <div class="stack gallery-narrow">
      <TextField label="Name" value={text.value} hint="Lower-case letters and digits" onInput={into(text)} />
      <TextField label="With an error" value="A B" error="one or more fields has an invalid value" onInput={() => {}} />
      <AreaField label="Several lines" isCode rows={3} value={'{"a": 1}'} onInput={() => {}} />
      <SelectField label="Choice" value="b" choices={[{ value: 'b', label: 'Second' }]} onChange={() => {}} />
      <Switch label="Enabled" isOn={isOn.value} onChange={into(isOn)} />
      <Switch label="Not to be changed" isOn={false} isDisabled onChange={() => {}} />
    </div>
  );
}

function Values() {
  const now = Date.now();
  return (
    <div class="stack">
      <div class="line wraps">
        {(Object.keys(STATUS_WORDS) as Status[]).map((status) => (
          <StatusWord key={status} status={status} />
        ))}
      </div>
      <div class="line wraps">
        {(['connecting', 'live', 'stale', 'ended'] as const).map((state) => (
          <LiveMark key={state} state={state} />
        ))}
      </div>
      <div class="line wraps">
        <Time at={now - 4000} />
        <Time at={now - 500_000} />
        <Time at={now - 30_000_000} />
        <Duration from={now - 83_000} />
        <Duration from={0} to={2_400_000} />
        <Id id="01a202f2-c34d-71ea-a7f8-80f4091648ea" href="#" />
      </div>
      <Figures
        label="Numbers"
        figures={[
          { label: 'Started', value: '1,204', href: '#' },
          { label: 'Failed', value: '12', detail: 'last hour', mood: 'failed' },
        ]}
      />
    </div>
  );
}

function Notes() {
  return (
    <div class="stack gallery-narrow">
      <ErrorNote
        title="The run was not cancelled"
        error={{ message: 'the run has ended', status: 409 }}
        onRetry={() => {}}
      />
      <Remark>What is stored runs, not what is written in the editor.</Remark>
      <Skeleton />
      <Empty icon="secrets" title="No secrets yet" action={<Button icon="plus">New secret</Button>}>
        <p>Passwords and tokens that actions of workflows use by name.</p>
      </Empty>
    </div>
  );
}

function LongTable() {
  return (
    <div class="gallery-box">
      <Table
        label="Ten thousand rows"
        columns={[
          { name: 'Number', width: '120px', isRight: true, cell: (row: number) => row.toLocaleString('en-US') },
          { name: 'Text', width: '1fr', cell: (row: number) => (row % 50 === 0 ? HOSTILE : `row ${row}`) },
        ]}
        rows={{ length: 10_000, at: (index) => (index % 17 === 5 ? undefined : index) }}
        keyOf={(row) => String(row)}
        narrow={(row) => <span>{row}</span>}
      />
    </div>
  );
}

function Diagrams() {
  const chosen = useSignal('ship');
  return (
    <div class="gallery-diagrams">
      <Diagram graph={GRAPH} label="A workflow" onChoose={into(chosen)} chosen={chosen.value} />
      <Diagram graph={GRAPH} label="A run that waits" way={WAY} onChoose={into(chosen)} />
      <Diagram graph={GRAPH} label="A run that failed" way={{ ...WAY, mood: 'failed' }} />
      <Diagram graph={LARGE_GRAPH} label="Eighty states" />
    </div>
  );
}

function Timelines() {
  const chosen = useSignal(2);
  return (
    <div class="gallery-box">
      <Timeline steps={STEPS} from={STEPS_FROM} to={STEPS_TO} chosen={chosen.value} onChoose={into(chosen)} />
    </div>
  );
}

function Texts() {
  const text = useSignal(SOURCE);
  return (
    <div class="gallery-diagrams">
      <Editor language="yaml" label="Source" value={text.value} problems={PROBLEMS} onChange={into(text)} />
      <Diff before={SOURCE} after={CHANGED_SOURCE} label="Changes" />
      <Source text={SOURCE} label="Read only" marked={{ from: 6, to: 10 }} isWrong />
    </div>
  );
}

const times = BUCKETS.map(({ from }) => from / 1000);
const lines = [
  { name: 'p50', colour: '--ink', values: BUCKETS.map(({ p50 }) => p50) },
  { name: 'p95', colour: '--running', isDashed: true, values: BUCKETS.map(({ p95 }) => p95) },
];

function Charts() {
  return (
    <>
      <Columns
        label="Runs by hour"
        buckets={BUCKETS}
        tickOf={(_, index) => (index % 4 === 0 ? `${index}:00` : '')}
        nameOf={({ started, failed }) => `${started} started, ${failed} failed`}
      />
      <Lines label="Durations" times={times} lines={lines} formatValue={duration} />
    </>
  );
}

const Logs = () => (
  <div class="gallery-box">
    <Log lines={LINES} label="Lines of a run" hasStates />
  </div>
);

const JsonTree = () => <Json value={VALUE} label="Value" />;

/** Every part alone, in all its states. */
export const PARTS: Readonly<Record<string, ComponentType>> = {
  buttons: Buttons,
  fields: Fields,
  values: Values,
  notes: Notes,
  table: LongTable,
  log: Logs,
  json: JsonTree,
  diagram: Diagrams,
  timeline: Timelines,
  texts: Texts,
  charts: Charts,
};
