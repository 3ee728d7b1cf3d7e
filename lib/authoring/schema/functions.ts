import type { FunctionPlan } from '../../compiler/plan/plan.ts';

/** The types of functions. */
export const FUNCTION_DESCRIPTIONS: Readonly<Record<FunctionPlan['type'], string>> = {
  subflow: 'Another workflow of the namespace.',
  http: 'An HTTP API. Weft sends the request itself.',
  worker: 'A program of yours, anywhere, that fetches tasks over HTTP.',
  lambda: 'A function of AWS Lambda. Weft invokes it with the input.',
  mail: 'A mail server (SMTP). Weft sends one mail for each call.',
  'knative-workflow': 'A container that belongs to this workflow.',
  'knative-namespace': 'A container service of the namespace.',
  'knative-global': 'A container service of the whole server.',
};

const LIMITS = {
  concurrency: 'How many calls may be at work at the same time, in all workflows of the namespace.',
  rate: 'How many calls may begin within a period, in all workflows of the namespace.',
  scope: 'The name under which functions of all workflows of the namespace share these limits. Default: the id.',
};

/** The fields of each type of functions, with their meanings. */
export const FUNCTION_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  subflow: {
    workflow:
      'The path of the workflow: from the folder of the caller, or from the root if it begins with `/`. A query computes it, within `allowed`.',
    allowed: 'The paths that a computed `workflow` may give; `*` stands for any characters of one part of a path.',
  },
  http: {
    url: 'Where the request goes; it may hold queries, as in `https://api.example.com/orders/jq(.id)`.',
    base: 'The same as `url`.',
    method: 'The method of HTTP. Default: GET, or POST with a body.',
    headers: 'A map of headers.',
    query: 'A map of parameters, which are added to the URL.',
    body: 'A text is sent as it is, any other value as JSON.',
    timeout: 'The time for the whole call, as an ISO 8601 duration. Default: PT30S.',
    expect: 'The statuses that are a success, for example `[2xx, 404]`. Default: `[2xx]`.',
    redirects: 'How many redirects are followed, 0 to 20. Default: 5.',
    insecure: '`true`: the certificate is not verified.',
    auth: 'Credentials: `bearer`, `basic`, `apiKey`, `oauth2` or `sigv4`. A secret is written by its name.',
    ...LIMITS,
  },
  worker: {
    queue: 'The name of the queue from which workers fetch the tasks.',
    lease: 'How long a worker may be silent before the task is offered again. Default: PT5M.',
    priority: 'Tasks with a higher number are offered first, from -1000 to 1000. Default: 0.',
  },
  lambda: {
    function: 'The name or the ARN of the Lambda function.',
    qualifier: 'An alias or a version of the function. Default: its newest code.',
    timeout: 'How long an invocation may take, at most PT15M. Default: PT30S.',
    ...LIMITS,
  },
  mail: {
    server: 'The server that sends the mail. Default: that of the namespace.',
    from: 'The sender, as `Shop <shop@example.com>`. Default: that of the namespace, beside its server.',
    replyTo: 'The addresses that get replies: a text, or a list of texts.',
    to: 'The recipients: an address, or a list of addresses.',
    cc: 'The recipients of copies.',
    bcc: 'The recipients of copies that the others do not see.',
    subject: 'The subject.',
    text: 'The text of the mail.',
    html: 'The mail as HTML; with `text` too, readers choose.',
    attachments: 'Variables that are attached: a list of `{name, scope, as}`.',
    timeout: 'The time to send the mail, as an ISO 8601 duration. Default: PT30S.',
    ...LIMITS,
  },
  'knative-workflow': {
    image: 'The container image.',
    size: 'The memory and processor of the container. Default: small.',
    cmd: 'The command that the container runs, instead of that of the image.',
    scale: 'The number of containers that always run. Default: 0.',
    envs: 'Environment variables of the container.',
    ...LIMITS,
  },
  'knative-namespace': { service: 'The name of the service.', ...LIMITS },
  'knative-global': { service: 'The name of the service.', ...LIMITS },
};
