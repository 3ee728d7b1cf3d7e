import { openNamespace } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { FILTER_OPTIONS, filtersOf } from '../inspection/filters.ts';
import * as inspection from '../inspection/jobs.ts';
import { defineVerbs, type Outcome, type ValuesOf } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';

const OPTIONS = {
  ...FILTER_OPTIONS,
  from: { type: 'string', value: 'STATE', help: 'rerun: begin at this state with the data recorded there' },
  latest: { type: 'boolean', help: 'rerun: use the newest revision of each workflow' },
  'repeat-all': { type: 'boolean', help: 'rerun: of a state that failed, make all calls again, not those that failed' },
  yes: { type: 'boolean', short: 'y', help: 'cancel, rerun: do not ask for confirmation' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

async function list(values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  return inspection.listJobs(service, base, values.json === true);
}

async function stop(values: Values, [id = '']: readonly string[], terminal: Terminal): Promise<Outcome> {
  const { service, base } = await openNamespace(values, terminal);
  return inspection.stopJob(service, base, id, values.json === true);
}

const creating =
  (action: 'cancel' | 'rerun') =>
  async (values: Values, _: readonly string[], terminal: Terminal): Promise<Outcome> => {
    const filters = filtersOf(values);
    const { service, base } = await openNamespace(values, terminal);
    const how = {
      from: values.from ?? '',
      revision: values.latest === true ? 'latest' : 'pinned',
      repeat: values['repeat-all'] === true ? 'all' : 'failed',
    };
    const order = { base, action, filters, how, isConfirmed: values.yes === true, isJson: values.json === true };
    return inspection.createJob(service, order, terminal);
  };

export const jobs = defineVerbs({
  about: 'Cancels or repeats many runs by a job of the service; lists the jobs with their progress, and stops one',
  usage: [
    'jobs [list]',
    'jobs cancel [--workflow PATH] [--status STATUS] [--since TIME] [--label NAME=VALUE] [--yes]',
    'jobs rerun --status STATUS [--workflow PATH] [--since TIME] [--latest] [--yes]',
    'jobs stop JOB',
  ],
  notes: [
    'The service goes on with a job by itself, also after it was restarted. What a stopped job has done stays done.',
  ],
  options: OPTIONS,
  defaultVerb: 'list',
  verbs: {
    list: { takes: [], run: list },
    cancel: { takes: [], run: creating('cancel') },
    rerun: { takes: [], run: creating('rerun') },
    stop: { takes: ['JOB'], run: stop },
  },
});
