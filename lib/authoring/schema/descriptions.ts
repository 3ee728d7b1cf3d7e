import type { StateType } from '../../compiler/plan/plan.ts';
import { FUNCTION_FIELDS } from './functions.ts';
import { START_FIELDS } from './start-fields.ts';

const DELIVERY = 'The header with the id of the delivery. The same delivery starts one run.';

/** Field names and their meanings, in one sentence each. */
export type Descriptions = Readonly<Record<string, string>>;

/** The fields of a workflow. */
export const WORKFLOW_FIELDS: Descriptions = {
  direktiv_api: 'The version of the format; it has no effect.',
  description: 'A text for readers; it has no effect.',
  url: 'Where the workflow is described; it has no effect.',
  timeouts: 'Time limits of a run.',
  labels: 'Names and queries; the results are labels, by which runs are found.',
  input:
    'A JSON Schema of the data with which a run begins. Its defaults are added; a start that does not fit is rejected.',
  output: 'A JSON Schema of the data with which a run ends. A run whose data does not fit fails.',
  cancelOn:
    'The event that cancels a run. Its context is evaluated over the input. `transition`: a handler instead of `onFailure`.',
  expected: 'How long a run is expected to take: a longer one is late, and goes on.',
  catch: 'The catches of every state, after its own.',
  retries: 'The retries of every action without its own.',
  onFailure: 'The id of the state that a run enters once before it fails. The error is in `error`; the run keeps it.',
  finally: 'The id of the state that a run enters last, before it ends in any way.',
  record: 'What the record of a run keeps: `full`, `flow` (no data) or `none`. Default: that of the namespace.',
  limits: 'Limits of a run. Of two limits, that of the namespace and this one, the lower applies.',
  concurrency: 'How many runs may be at work at the same time.',
  rate: 'How many runs may begin within a period.',
  debounce: 'Starts that follow each other make one run, which begins after a quiet time with the last input.',
  priority: 'The order of queued runs: higher first. A number, or a query over the input. Default: 0.',
  start: 'What starts runs. Default: requests.',
  functions: 'The functions that actions can call: subflows, HTTP APIs, mails, workers, containers and others.',
  states: 'The states. A run begins with the first one, unless `start.state` names another.',
};

/** The fields that every state, function or start may have. */
export const COMMON_FIELDS: Readonly<Record<'states' | 'functions' | 'start', Descriptions>> = {
  states: {
    id: 'The name of the state: lower-case letters, digits, dots, dashes and underscores.',
    type: 'The type of the state.',
    log: 'A query; its result is a line in the log of the run. It is evaluated before the work of the state.',
    metadata: 'A query; its result is stored as the metadata of the run.',
    catch: 'What follows a failure of the state. The first pattern that matches its code applies.',
    transform: 'A query; its result, an object, is the data for the next state.',
    transition: 'The id of the next state. Default: the run ends.',
    timeout: 'How long to wait, as an ISO 8601 duration, for example PT15M.',
  },
  functions: {
    id: 'The name of the function in this workflow.',
    type: 'The type of the function.',
  },
  start: {
    type: 'What starts the workflow.',
    state: 'The id of the first state. Default: the first one in the list.',
  },
};

/** The types of states. */
export const STATE_DESCRIPTIONS: Readonly<Record<StateType, string>> = {
  noop: 'Has no work. It can log, transform the data and continue.',
  delay: 'Waits for a time.',
  action: 'Calls a function and stores its result in `return`.',
  foreach: 'Calls a function once for each object of an array, and stores the list of results in `return`.',
  parallel: 'Calls several functions at once, and stores the list of results in `return`.',
  switch: 'Continues with the exit of the first condition that is true.',
  error: 'Marks the run as failed with a code, and continues.',
  validate: 'Validates the data against a JSON Schema; fails with `schema.failed`.',
  getter: 'Reads variables into `var`.',
  setter: 'Stores variables.',
  consumeEvent: 'Waits for one event, which is stored in the data under its type.',
  eventsAnd: 'Waits for all of several events.',
  eventsXor: 'Waits for the first of several events, and continues with its exit.',
  generateEvent: 'Sends an event to the namespace.',
  approval: 'Waits for a decision, which is made by a link, and continues with the state of the choice.',
};

/** The fields that only some types have, by those types. */
export const TYPE_FIELDS: Readonly<Record<'states' | 'functions' | 'start', Readonly<Record<string, Descriptions>>>> = {
  states: {
    delay: { duration: 'How long to wait, as an ISO 8601 duration, for example PT30S or P1DT12H.' },
    action: {
      action: 'The call.',
      async: 'Start the call and continue at once, without its result.',
    },
    foreach: {
      array: 'A query; its result is a list of objects. The action runs once for each, with the object as its data.',
      action: 'The call for each object.',
      width: 'How many calls are in progress at once, at most. Default: no limit of the workflow.',
      collect: '`errors`: a call that fails does not fail the state. `return` is then `{results, errors}`.',
    },
    parallel: {
      actions: 'The calls.',
      mode: '`and`, the default: wait for all calls, and fail if one fails. `or`: continue with the first success.',
    },
    switch: {
      conditions: 'The conditions, in the order in which they are evaluated.',
      defaultTransform: 'The transform if no condition is true.',
      defaultTransition: 'The id of the next state if no condition is true. Default: the run ends.',
    },
    error: {
      error: 'The code of the failure, for example `order.unknown`.',
      message: 'The text of the failure. It may have a placeholder, such as `%s`, for each element of `args`.',
      args: 'Queries, whose results replace the placeholders of `message`.',
    },
    validate: {
      schema: 'The JSON Schema of the data.',
      subject: 'A query; its result is validated instead of the whole data.',
    },
    getter: { variables: 'The variables to read.' },
    setter: { variables: 'The variables to store.' },
    approval: {
      subject: 'What is decided; it may hold queries.',
      text: 'A query; its result is shown below the subject.',
      assignees: 'A query; its result, a text or a list of texts, says who should decide.',
      choices: 'The choices by their names, each with the id of the next state; null ends the run.',
      form: 'A JSON Schema; its properties are the fields of the page.',
      notify: 'A call when the approval begins; its input can read the links as `.links.NAME`.',
      remind: 'What happens if it is not decided after a time. Default: the notification is repeated.',
      escalate: 'What happens if it is not decided after a longer time.',
    },
    consumeEvent: { event: 'The event to wait for.' },
    eventsAnd: { events: 'The events to wait for, all of them.' },
    eventsXor: { events: 'The events to wait for, each with its exit.' },
    generateEvent: {
      event: 'The event to send.',
      delay: 'When to send it: after an ISO 8601 duration, or `immediate`, the default.',
    },
  },
  functions: FUNCTION_FIELDS,
  start: START_FIELDS,
};

const EXIT: Descriptions = {
  transform: 'A query; its result, an object, is the data for the next state.',
  transition: 'The id of the next state. Default: the run ends.',
};

const CALL: Descriptions = {
  function: 'The id of a function that `functions` declares.',
  input: 'A query; its result is the input of the call. Default: the whole data.',
  secrets: 'Names of secrets of the namespace, which `input` can read as `.secrets.NAME`.',
  retries: 'When to repeat a call that failed.',
  files: 'Variables that a container gets as files.',
};

/** The fields of maps inside others, by the field that has the map, or the list of maps. */
export const INNER_FIELDS: Readonly<Record<string, Descriptions>> = {
  timeouts: {
    interrupt: 'A run that lasts longer fails with `cancels.timeout.soft`, which a state can catch. Default: PT15M.',
    kill: 'A run that lasts longer ends with `cancels.timeout.hard`. Default: 5 minutes after the interrupt.',
    handlers: 'The time of each chain of `onFailure` and `finally`. Default: PT15M.',
  },
  cancelOn: {
    type: 'The type of the event.',
    context: 'Attributes that the event must have, with their values: queries over the input of the run.',
    transition: 'The id of the state that a cancelled run enters instead of that of `onFailure`.',
  },
  limits: {
    transitions: 'The states that a run enters; then it fails with `limits.transitions`.',
    logBytes: 'The text of the log of a run, bytes; then it fails with `limits.log`.',
  },
  concurrency: {
    limit: 'The most runs, or calls of a function, at work, of each value of the key: at most 1000.',
    key: 'A query over the input, or over the data of the action. Runs or calls with different results do not wait for each other. Default: all share the limit.',
    whenFull:
      'What becomes of a further run or call: `queue` (default): it waits; `refuse`: it fails; of a run also `skip`: nothing starts; `cancelOldest`: the oldest run is cancelled.',
  },
  rate: {
    limit: 'The most starts, or calls of a function, within any period, of each value of the key: at most 1000.',
    per: 'The period, an ISO 8601 duration from PT1S to P300D.',
    key: 'A query over the input, or over the data of the action. Different results are counted apart. Default: all share the limit.',
    whenFull:
      'A further run or call: `queue` (default): begins later; `refuse`: fails; of a run also `skip`: does not start.',
  },
  expected: {
    within:
      'A run that takes longer sends the event `instance.late` and an alert, if the namespace wants them. An ISO 8601 duration from PT1S to P300D.',
  },
  debounce: {
    for: 'The quiet time after the last start, an ISO 8601 duration from PT1S to P300D.',
    key: 'A query over the input. Starts with different results make runs of their own. Default: all starts make one run.',
    atMost: 'The most time from the first start to the beginning of the run. Default: any, as long as starts follow.',
  },
  batch: {
    size: 'The number of events with which the run begins: at most 1000.',
    for: 'The time after the first event at which it begins with fewer, an ISO 8601 duration from PT1S to P300D.',
    key: 'A query over an event. Events with different results make runs of their own. Default: all events make one run.',
  },
  catch: {
    error: 'A regular expression (RE2) for codes, or `*` for all.',
    transition: 'The id of the next state. Default: the run ends.',
  },
  action: CALL,
  actions: CALL,
  retries: {
    max_attempts: 'The number of retries; 2 makes three calls at most.',
    delay: 'The delay before the first retry. Default: PT5S.',
    multiplier: 'The delay is multiplied by this for each further retry. Default: it stays the same.',
    codes: "Regular expressions for the codes to retry; ['.*'] is every code.",
  },
  auth: {
    bearer: 'The name of the secret with the token.',
    basic: 'A user, and the name of the secret with the password.',
    apiKey: 'The name of a secret, and the header or the parameter that gets its value.',
    oauth2: 'The client credentials of OAuth 2.',
    sigv4: 'The names of the secrets with credentials of AWS, which sign the request.',
  },
  basic: {
    user: 'The user; in a function it may hold a query.',
    password: 'The name of the secret with the password.',
    delivery: DELIVERY,
  },
  url: { secret: 'The name of the secret that the query parameter `secret` holds.', delivery: DELIVERY },
  apiKey: {
    secret: 'The name of the secret.',
    header: 'The header that gets the secret. Default: X-Api-Key.',
    query: 'The parameter that gets the secret, instead of a header.',
  },
  verify: {
    github: 'The name of the secret of the webhook at GitHub.',
    stripe: 'The name of the signing secret of the endpoint at Stripe.',
    slack: 'The name of the signing secret of the app at Slack.',
    standard: 'The name of the secret of a sender that signs as Standard Webhooks has it.',
    hmac: 'A header with an HMAC of the body.',
    basic: 'Basic authentication.',
    url: 'The URL has the secret in its query parameter `secret`.',
    none: '`true`: every request is accepted.',
  },
  hmac: {
    secret: 'The name of the secret.',
    header: 'The header with the signature.',
    algorithm: 'The hash function. Default: sha256.',
    encoding: 'How the signature is written. Default: hex.',
    prefix: 'What precedes the signature in the header, for example `sha256=`.',
    timestamp: 'The header with the time in seconds since 1970; it is signed as `<time>.<body>`.',
    tolerance: 'How far the time may be from the present. Default: PT5M.',
    delivery: DELIVERY,
  },
  oauth2: {
    tokenUrl: 'Where tokens are requested.',
    clientId: 'The id of the client.',
    clientSecret: 'The name of the secret of the client.',
    scope: 'The scopes of the token, separated by spaces.',
  },
  sigv4: {
    service: 'The service of AWS, for example `execute-api`.',
    region: 'The region of AWS.',
    accessKeyId: 'The name of the secret with the access key id.',
    secretAccessKey: 'The name of the secret with the secret access key.',
    sessionToken: 'The name of the secret with the session token.',
  },
  server: {
    host: 'The name or the address of the server.',
    port: 'The port. Default: 587.',
    tls: '`implicit`: TLS from the start, the default on port 465; `starttls`: TLS is required. Default: STARTTLS where the server offers it; a login requires it.',
    insecure: '`true`: the certificate is not verified, and a login may be sent without TLS.',
    user: 'The name of the secret with the user.',
    password: 'The name of the secret with the password.',
  },
  notify: CALL,
  remind: { after: 'The time, as an ISO 8601 duration.', action: 'A call.', event: 'An event to send.' },
  escalate: { after: 'The time, as an ISO 8601 duration.', action: 'A call.', event: 'An event to send.' },
  files: {
    key: 'The key of the variable.',
    as: 'The name of the file. Default: the key.',
    scope: 'The scope of the variable. Default: instance.',
    type: 'How the file is made: plain, base64, tar or tar.gz.',
    permissions: "The mode of the file in octal digits, for example '0755'. Default: everything is allowed.",
  },
  conditions: { condition: 'A query; null, false, 0 and empty values are false. Default: the whole data.', ...EXIT },
  variables: {
    key: 'The key of the variable.',
    scope: 'The scope of the variable: instance, workflow or namespace, among others.',
    value: 'A query; its result is stored. Default: the whole data.',
    mimeType: 'The media type of the variable. Default: application/json.',
    as: 'The name of the value in `var`. Default: the key.',
  },
  event: {
    type: 'The type of the event.',
    source: 'The source of the event.',
    data: 'A query; its result is the data of the event.',
    datacontenttype: 'The media type of the data. Default: application/json.',
    context: 'Attributes of the event. An event to wait for must have all of them.',
  },
  events: {
    type: 'The type of the event.',
    context: 'Attributes that the event must have.',
    event: 'The event.',
    ...EXIT,
  },
  envs: { name: 'The name of the variable.', value: 'The value of the variable.' },
};
