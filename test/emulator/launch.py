"""
Runs the emulator MiniStack with the behaviour of AWS where the emulator alone differs and too much would stay untested. It
ends with the process that started it, even if that is killed: when its input is closed.

Each function below replaces a part of the emulator, whose version is pinned in ministack.ts.

Not corrected, so no test may depend on it: variables assigned together see each other's new values; Parallel ignores Assign
and Arguments, and a branch that fails waits for the others; the Output of Succeed and the fields of a Choice's Default are
ignored; the TimeoutSeconds of the machine does not end a wait; a token can be answered again until the function that
received it has returned; an execution that failed has an output.
"""

import json
import os
import runpy
import sys
import threading

from ministack.core import lambda_runtime
from ministack.services import eventbridge, lambda_svc, stepfunctions
from ministack.services.cloudformation import provisioners


def end_with_parent():
    """Ends this process when its input is closed."""

    def wait():
        sys.stdin.read()
        os.kill(os.getpid(), 15)

    threading.Thread(target=wait, daemon=True).start()


def fail_tasks_with_their_functions():
    """A task that waits for its token fails when the function that received the token fails; here it would wait for ever."""
    call = stepfunctions._call_lambda

    def call_for_task(function, payload):
        try:
            return call(function, payload)
        except stepfunctions._ExecutionError as error:
            token = payload.get('token') if isinstance(payload, dict) else None
            task = stepfunctions._task_tokens.get(token) if token else None
            if task:
                task['error'] = {'Error': error.error, 'Cause': error.cause}
                task['event'].set()
            raise

    stepfunctions._call_lambda = call_for_task


def evaluate_timeouts():
    """The TimeoutSeconds of a task may be an expression; here it would end the execution."""
    execute = stepfunctions._execute_task

    def execute_task(state, given, execution, context):
        if isinstance(state.get('TimeoutSeconds'), str):
            seconds = stepfunctions._jsonata_state_field(state, 'TimeoutSeconds', 'number', given, context)
            state = {**state, 'TimeoutSeconds': seconds}
        return execute(state, given, execution, context)

    stepfunctions._execute_task = execute_task


def drain_updated_functions():
    """An update or deletion of a function lets its calls end; here it would end their processes."""
    kill, invalidate, release = (
        lambda_runtime.kill_workers,
        lambda_runtime.invalidate_worker,
        lambda_runtime.release_worker,
    )
    this_thread = threading.local()
    outdated = set()

    def invalidate_idle(*args, **named):
        this_thread.invalidates = True
        try:
            invalidate(*args, **named)
        finally:
            this_thread.invalidates = False

    def kill_workers(workers):
        if not getattr(this_thread, 'invalidates', False):
            return kill(workers)
        with lambda_runtime._lock:
            busy = {worker for worker in workers if worker.in_use}
            outdated.update(busy)
        return kill([worker for worker in workers if worker not in busy])

    def release_worker(worker):
        release(worker)
        if worker in outdated:
            outdated.discard(worker)
            kill([worker])

    lambda_runtime.kill_workers = kill_workers
    lambda_runtime.invalidate_worker = lambda_svc.invalidate_worker = invalidate_idle
    lambda_runtime.release_worker = lambda_svc.release_worker = release_worker


def repeat_asynchronous_calls():
    """A call of a function for an event or a schedule is repeated twice when it fails; here it would be lost."""

    def call(arn, payload):
        event = json.loads(payload)
        function, config, name = lambda_svc._get_func_record_for_ref(arn)
        if not function or not config:
            raise LookupError(f'there is no function {name}')
        lambda_svc.invoke_async_with_retry(lambda_svc._execution_record_for_config(function, config), event)

    eventbridge._dispatch_to_lambda = call


def keep_names_of_errors():
    """A failed call has the name of its error, or that of an ended process; here all have the same."""
    script = lambda_runtime._NODEJS_WORKER_SCRIPT
    without, within = 'status: "error", error: String(', 'status: "error", name: err.name, error: String('
    if script.count(without) != 1:
        raise LookupError('the script of workers is another one')
    lambda_runtime._NODEJS_WORKER_SCRIPT = script.replace(without, within)
    invoke, execute = lambda_runtime.Worker.invoke, lambda_svc._execute_function_warm
    this_thread = threading.local()

    def invoke_named(*args, **named):
        response = invoke(*args, **named)
        has_ended = response.get('error') == 'Worker process died'
        this_thread.name = 'Runtime.ExitError' if has_ended else response.get('name')
        return response

    def execute_named(*args):
        this_thread.name = None
        result = execute(*args)
        if result.get('error') and this_thread.name:
            result['body']['errorType'] = this_thread.name
        return result

    lambda_runtime.Worker.invoke = invoke_named
    lambda_svc._execute_function_warm = execute_named


def accept_alarms_over_metrics():
    """An alarm may compute with several metrics; here its stack would be refused. It is stored, and never raised."""
    record = provisioners._cw_metric_alarm_record

    def record_any(name, properties):
        metrics = properties.get('Metrics')
        if not metrics:
            return record(name, properties)
        metric = next(one['MetricStat']['Metric'] for one in metrics if 'MetricStat' in one)
        return {**record(name, {**properties, **metric, 'Metrics': None}), 'MetricName': '', 'Namespace': ''}

    provisioners._cw_metric_alarm_record = record_any


def delete_versions_with_machines():
    """A machine is deleted with its versions, and one that does not exist is deleted already; here a start of a version fails."""
    delete = stepfunctions._delete_state_machine

    def delete_all(data):
        arn = data.get('stateMachineArn')
        versions = stepfunctions._state_machine_versions
        for version in [name for name, one in versions.items() if one.get('stateMachineArn') == arn]:
            del versions[version]
        return delete(data) if arn in stepfunctions._state_machines else stepfunctions.json_response({})

    stepfunctions._delete_state_machine = delete_all


for correct in (
    end_with_parent,
    fail_tasks_with_their_functions,
    evaluate_timeouts,
    drain_updated_functions,
    repeat_asynchronous_calls,
    keep_names_of_errors,
    accept_alarms_over_metrics,
    delete_versions_with_machines,
):
    correct()
runpy.run_module('ministack', run_name='__main__', alter_sys=True)
