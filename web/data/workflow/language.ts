/** Fields of the workflow language, each with a description of its value in a few words. */
export type Fields = Readonly<Record<string, string>>;

export const TOP_FIELDS: Fields = {
  states: 'what the workflow does, one after the other',
  functions: 'services and subflows that actions call',
  start: 'what starts it: nothing, a schedule, events',
  timeouts: 'interrupt and kill',
  labels: 'names and values by which its runs are found',
  cancelOn: 'the event that cancels a run',
  description: 'a text for people',
  url: 'where more is written',
};

const ANY_STATE: Fields = {
  id: 'the name of the state',
  type: 'what the state does',
  transition: 'the next state; none ends the run',
  transform: 'the data that goes on',
  log: 'a line of the log',
  metadata: 'what the run notes about itself',
  catch: 'where errors lead',
};

const WAIT: Fields = { timeout: 'how long it waits: PT1H', events: 'the events it waits for' };

/** Every type of state, with the fields that only it has. */
export const STATES: Readonly<Record<string, Fields>> = {
  noop: {},
  action: { action: 'the function to call', async: 'go on without its result', timeout: 'PT30S' },
  foreach: { array: 'jq(.items)', action: 'the function to call for each', timeout: 'PT30S' },
  parallel: { actions: 'functions to call at once', mode: 'and: all of them; or: the first', timeout: 'PT30S' },
  switch: {
    conditions: 'the first that holds',
    defaultTransition: 'the next state otherwise',
    defaultTransform: 'the data otherwise',
  },
  delay: { duration: 'PT5M' },
  consumeEvent: { event: 'the event it waits for', timeout: 'PT1H' },
  eventsAnd: WAIT,
  eventsXor: WAIT,
  generateEvent: { event: 'the event to send', delay: 'when: PT10S, or immediate' },
  validate: { schema: 'a JSON schema', subject: 'what is checked; the data if not given' },
  getter: { variables: 'variables to read' },
  setter: { variables: 'variables to write' },
  error: { error: 'the code of the error', message: 'a text for people', args: 'values for the text' },
  approval: {
    subject: 'what is decided',
    text: 'more about it',
    choices: '{approve: next-state, refuse: null}',
    assignees: 'who should decide',
    form: 'a JSON schema of fields to fill in',
    notify: 'a call with the links',
    remind: 'after a time: a call or an event',
    escalate: 'after a time: a call or an event',
    timeout: 'P2D',
  },
};

/** The fields of a state of a type. */
export const fieldsOfState = (type: string): Fields => ({ ...ANY_STATE, ...STATES[type] });

/** Fields inside of others, by the name of the field that holds them. */
export const INNER_FIELDS: Readonly<Record<string, Fields>> = {
  functions: {
    id: 'the name that actions use',
    type: 'what is called',
    image: 'of a container',
    service: 'the name of a service',
    workflow: 'the path of a subflow',
    queue: 'of a worker: the queue of its tasks',
    lease: 'of a worker: how long it may be silent, PT5M',
    priority: 'of a worker: a number; higher ones first',
    size: 'small, medium or large',
    cmd: 'the command of the container',
    envs: 'environment variables',
  },
  action: {
    function: 'the id of a function',
    input: 'what it gets',
    secrets: 'names of secrets',
    retries: 'when to call again',
    files: 'variables as files',
  },
  actions: {
    function: 'the id of a function',
    input: 'what it gets',
    secrets: 'names of secrets',
    retries: 'when to call again',
    files: 'variables as files',
  },
  retries: {
    max_attempts: 'how often again',
    delay: 'PT1S',
    multiplier: 'of each further delay',
    codes: 'which errors',
  },
  catch: { error: 'a code, or * for all', transition: 'the next state' },
  conditions: { condition: 'jq(.amount > 10)', transition: 'the next state', transform: 'the data that goes on' },
  event: {
    type: 'the type of the event',
    context: 'attributes it must have',
    source: 'where it comes from',
    data: 'what it holds',
    datacontenttype: 'application/json',
  },
  events: { event: 'type and context', transition: 'the next state', transform: 'the data that goes on' },
  start: {
    type: 'what starts the workflow',
    state: 'the first state; the first in the list if not given',
    cron: '0 6 * * *',
    event: 'one event',
    events: 'several events',
    lifespan: 'how long events wait for each other',
    verify: 'of a webhook: {github: SECRET}',
    reply: 'of a webhook: wait, for the output as the reply',
  },
  timeouts: { interrupt: 'PT15M: an error that can be caught', kill: 'PT20M: the end' },
  variables: {
    key: 'the name',
    scope: 'whose variable',
    value: 'what is stored',
    mimeType: 'application/json',
    as: 'another name in the data',
  },
};

/** Values of fields, by the name of the holding field and of the field. */
export const VALUES: Readonly<Record<string, readonly string[]>> = {
  'functions type': ['subflow', 'http', 'lambda', 'worker', 'knative-workflow', 'knative-namespace', 'knative-global'],
  'functions size': ['small', 'medium', 'large'],
  'start type': ['default', 'scheduled', 'webhook', 'event', 'eventsXor', 'eventsAnd'],
  'start reply': ['wait'],
  'states mode': ['and', 'or'],
  'states async': ['true', 'false'],
  'variables scope': ['instance', 'workflow', 'namespace'],
};
