#!/usr/bin/env node
// The custom runtime of the steps function in the emulator: it forwards every call to the test and returns its answer,
// errors with their own names. In the function's archive this file has no extension.
const calls = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime/invocation`;
const post = (url, body) => fetch(url, { method: 'POST', body });

async function serve() {
  const next = await fetch(`${calls}/next`);
  const id = next.headers.get('lambda-runtime-aws-request-id');
  const answer = await post(process.env.STEPS_URL, await next.text());
  await post(`${calls}/${id}/${answer.ok ? 'response' : 'error'}`, await answer.text());
  return serve();
}

serve();
