"""The worker against a running service, as test/cli/workers.test.ts has it for TypeScript. See python.test.ts."""

import http.server
import json
import os
import threading
import time
import unittest
import uuid

from weft_workflows import Client, TaskError, Worker

URL, KEY = os.environ["WEFT_URL"], os.environ["WEFT_KEY"]
BIG = 9007199254740993
FLOW = """functions: [{id: f, type: worker, queue: jq(.queue), lease: PT1S}]
states:
- {id: go, type: action, action: {function: f, input: {image: jq(.image)}}, catch: [{error: '*'}]}
"""


class Tasks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        client = Client(URL, KEY)
        cls.space = client.namespace("pw-" + uuid.uuid4().hex[:8])
        cls.space.create()
        cls.space.push("flow", FLOW)
        made = {"name": cls.space.name, "permission": "worker", "namespaces": [cls.space.name]}
        cls.key = client.call("createKey", body=made)["secret"]

    def setUp(self):
        self.errors = []
        self.queue = self.id().rsplit(".", 1)[-1]

    def worker(self, handle, **options):
        worker = Worker(
            URL, self.key, namespace=self.space.name, name="tester", wait="PT1S", on_error=self.errors.append
        )
        return worker.handle(self.queue, handle, **options)

    def serve(self, handle, image="a.png"):
        """Serves one task; returns the result of the run."""
        worker = self.worker(handle).start()
        output = self.space.run("flow", {"queue": self.queue, "image": image})
        worker.stop()
        worker.join()
        self.assertEqual(self.errors, [])
        return output.get("return", output.get("error"))

    def test_tasks_are_served_side_by_side_and_ended_before_the_worker(self):
        both = threading.Barrier(2)

        def handle(task):
            both.wait(30)
            return {"label": task.input["image"]}

        runs = [self.space.start("flow", {"queue": self.queue, "image": name}) for name in "ab"]
        worker = self.worker(handle, concurrency=2).start()
        outputs = [self.space.wait(run)["return"] for run in runs]
        worker.stop()
        worker.join()
        self.assertEqual(outputs, [{"label": "a"}, {"label": "b"}])

    def test_stop_lets_the_task_in_progress_end(self):
        begun, release = threading.Event(), threading.Event()

        def handle(task):
            begun.set()
            release.wait(30)
            return "done"

        worker = self.worker(handle).start()
        run = self.space.start("flow", {"queue": self.queue, "image": "a"})
        self.assertTrue(begun.wait(30))
        worker.stop()
        release.set()
        worker.join()
        self.assertEqual(self.space.wait(run)["return"], "done")

    def test_a_task_that_a_last_poll_fetches_is_given_back(self):
        worker = self.worker(lambda task: "first").start()
        worker.stop()
        run = self.space.start("flow", {"queue": self.queue, "image": "a"})
        worker.join()
        self.assertEqual(self.serve(lambda task: "second", "b"), "second")
        self.assertEqual(self.space.wait(run)["return"], "second")

    def test_an_integer_keeps_its_digits(self):
        self.assertEqual(self.serve(lambda task: [task.input["image"], task.input["image"] + 2], BIG), [BIG, BIG + 2])

    def test_an_error_fails_the_call(self):
        def coded(task):
            raise TaskError("image.unreadable", "no image")

        def plain(task):
            raise OSError("out of memory")

        self.assertEqual(self.serve(coded), {"code": "image.unreadable", "msg": "no image"})
        self.assertEqual(self.serve(plain), {"code": "service.worker.failed", "msg": "out of memory"})
        failed = self.serve(lambda task: {1, 2})
        self.assertEqual(failed["msg"], "Object of type set is not JSON serializable")

    def test_a_task_that_asks_for_a_retry_is_offered_again(self):
        def busy(task):
            if task.taken == 1:
                raise TaskError("busy", "later", "PT1S")
            return task.taken

        self.assertEqual(self.serve(busy), 2)

    def test_the_lease_is_renewed_while_the_function_works(self):
        def slow(task):
            self.assertFalse(task.lost.wait(1.8))
            return task.taken

        self.assertEqual(self.serve(slow), 1)

    def test_a_task_is_lost_when_its_run_is_cancelled(self):
        seen = []

        def handle(task):
            self.space.cancel(task.instance)
            seen.append(task.lost.wait(30))

        worker = self.worker(handle, lease="PT1S").start()
        run = self.space.start("flow", {"queue": self.queue, "image": "a"})
        while not seen:
            time.sleep(0.1)
        worker.stop()
        worker.join()
        self.assertEqual((seen, self.errors), ([True], []))
        self.assertEqual(self.space.instance(run)["instance"]["status"], "failed")

    def test_an_error_of_the_service_is_reported_and_the_poll_repeated(self):
        refused = threading.Event()
        worker = Worker(URL, "wrong", namespace=self.space.name, on_error=lambda error: refused.set())
        worker.handle(self.queue, print).start()
        self.assertTrue(refused.wait(30))
        worker.stop()
        worker.join()

    def test_a_worker_without_a_function_does_not_start(self):
        with self.assertRaisesRegex(ValueError, "call handle"):
            Worker(URL, namespace="n").start()
        with self.assertRaisesRegex(ValueError, "'concurrency' is 0"):
            self.worker(print, concurrency=0)


class LostReplies(unittest.TestCase):
    """A server that gives one task, and replies to its reports as `replies` says: a status, or None for no reply."""

    def reports(self, *replies):
        seen, errors, left = [], [], list(replies)
        task = {name: "x" for name in ("task", "lease", "until", "key", "instance", "workflow", "state", "traceparent")}
        task.update(leaseUntil="2100-01-01T00:00:00.123456789Z", createdAt="", attempt=0, taken=1, priority=0, input=1)
        tasks = [task]

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                op = self.path.partition("?op=")[2]
                status = 200
                if op != "poll":
                    seen.append((op, body.get("output")))
                    status = left.pop(0)
                if status is None:
                    return
                given = [tasks.pop()] if op == "poll" and tasks else []
                content = json.dumps({"tasks": given, "message": "no"}).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                if op == "poll" and not given:
                    time.sleep(0.1)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        worker = Worker(f"http://127.0.0.1:{server.server_port}", namespace="n", on_error=errors.append)
        worker.handle("q", lambda task: task.input + 1).start()
        while left:
            time.sleep(0.05)
        worker.stop()
        worker.join()
        server.shutdown()
        server.server_close()
        return seen, errors

    def test_a_report_is_repeated_until_the_service_has_accepted_it(self):
        seen, errors = self.reports(None, 503, 429, 200)
        self.assertEqual(seen, [("complete", 2)] * 4)
        self.assertEqual([error.status for error in errors], [0, 503, 429])

    def test_a_report_of_a_lost_task_is_not_repeated(self):
        seen, errors = self.reports(409)
        self.assertEqual((seen, [error.status for error in errors]), ([("complete", 2)], [409]))


if __name__ == "__main__":
    unittest.main()
