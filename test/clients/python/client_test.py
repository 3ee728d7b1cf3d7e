"""The client against a running service, and against a server that loses replies. See python.test.ts."""

import http.server
import io
import json
import os
import threading
import time
import unittest
import unittest.mock
import uuid

from weft_workflows import Client, RunError, UnreachableError, WeftError
from weft_workflows.frames import frames_of

URL, KEY = os.environ["WEFT_URL"], os.environ["WEFT_KEY"]
BIG = 9007199254740993
GREET = "states:\n- id: greet\n  type: noop\n  log: jq(.name)\n  transform: {greeting: jq(.name), id: jq(.id // 0)}\n"
FAILS = "states:\n- {id: a, type: error, error: my.code, message: no}\n"
LATER = "states:\n- {id: a, type: delay, duration: PT2S}\n"
APPROVE = """states:
- {id: ask, type: approval, subject: ok?, choices: {approve: end, refuse: null}, timeout: PT1M}
- {id: end, type: noop, transform: jq(.return)}
"""
PAID = "start:\n  type: event\n  event: {type: paid}\nstates:\n- {id: a, type: noop}\n"


class Service(unittest.TestCase):
    def setUp(self):
        self.client = Client(URL, KEY)
        self.space = self.client.namespace("py-" + uuid.uuid4().hex[:8])
        self.space.create()
        self.addCleanup(self.space.delete, recursive=True)

    def test_namespaces_are_created_once_and_listed(self):
        self.assertIn(self.space.name, self.client.namespaces())
        self.space.create(exist_ok=True)
        with self.assertRaises(WeftError) as raised:
            self.space.create()
        self.assertEqual(raised.exception.status, 409)

    def test_push_creates_directories_and_a_revision_only_for_a_new_text(self):
        first = self.space.push("deep/er/greet", GREET)["revision"]["name"]
        self.assertEqual(self.space.push("deep/er/greet", GREET)["revision"]["name"], first)
        self.assertNotEqual(self.space.push("deep/er/greet", FAILS)["revision"]["name"], first)
        self.assertEqual(self.space.workflow("deep/er/greet")["node"]["name"], "greet")
        self.space.delete_workflow("deep/er/greet")
        with self.assertRaises(WeftError) as raised:
            self.space.workflow("deep/er/greet")
        self.assertEqual(raised.exception.status, 404)

    def test_a_mistake_in_a_text_has_its_place(self):
        with self.assertRaises(WeftError) as raised:
            self.space.push("bad", "states: 1")
        self.assertEqual((raised.exception.status, raised.exception.message), (406, "invalid type for states"))
        self.assertEqual(raised.exception.details["problems"][0]["line"], 1)

    def test_a_run_returns_its_output_with_all_digits(self):
        self.space.push("greet", GREET)
        output = self.space.run("greet", {"name": "Ada", "id": BIG})
        self.assertEqual(output, {"greeting": "Ada", "id": BIG})
        instance = self.space.start("greet", {"name": "Eve", "id": BIG}, labels={"team": "x"})
        self.assertEqual(self.space.wait(instance), {"greeting": "Eve", "id": BIG})
        self.assertEqual([one["id"] for one in self.space.instances(label="team=x")], [instance])
        self.assertEqual([one["msg"] for one in self.space.logs(instance) if "Eve" in one["msg"]], ['"Eve"'])

    def test_a_key_makes_two_starts_one_run(self):
        self.space.push("greet", GREET)
        started = {self.space.start("greet", {"name": "a"}, key="k") for _ in range(2)}
        self.assertEqual(len(started), 1)
        self.assertEqual(self.space.run("greet", {"name": "b", "id": 1}, key="k")["greeting"], "a")

    def test_a_failed_run_raises_its_code(self):
        self.space.push("fails", FAILS)
        with self.assertRaises(RunError) as raised:
            self.space.run("fails")
        failed = raised.exception
        self.assertEqual((failed.code, failed.details["error"]["state"]), ("my.code", "a"))
        with self.assertRaises(RunError) as raised:
            self.space.wait(failed.instance)
        self.assertEqual(raised.exception.code, "my.code")
        self.assertEqual([one["id"] for one in self.space.instances(status="failed")], [failed.instance])

    def test_a_timeout_ends_the_wait_and_not_the_run(self):
        self.space.push("later", LATER)
        with self.assertRaises(TimeoutError):
            self.space.run("later", key="k", timeout=0.3)
        instance = self.space.start("later", key="k")
        with self.assertRaises(TimeoutError):
            self.space.wait(instance, timeout=0.2)
        lines = [one["msg"] for one in self.space.logs(instance, follow=True)]
        self.assertIn("Workflow completed", lines[-1])
        self.assertEqual(self.space.run("later", key="k"), {})

    def test_a_run_can_be_cancelled(self):
        self.space.push("later", LATER)
        instance = self.space.start("later")
        self.space.cancel(instance)
        with self.assertRaises(RunError) as raised:
            self.space.wait(instance)
        self.assertIn("cancel", raised.exception.code)

    def test_lists_are_read_in_pages(self):
        self.space.push("greet", GREET)
        started = [self.space.start("greet", {"name": str(n)}) for n in range(5)]
        for n in range(5):
            self.space.set_variable(f"v{n}", "x")
            self.space.set_secret(f"s{n}", "x")
        with unittest.mock.patch("weft_workflows.scope.PAGE", 2):
            found = [one["id"] for one in self.space.instances(workflow="greet")]
            self.assertEqual(sorted(found), sorted(started))
            self.assertEqual(sorted(one["name"] for one in self.space.variables()), [f"v{n}" for n in range(5)])
            self.assertEqual(sorted(one["name"] for one in self.space.secrets()), [f"s{n}" for n in range(5)])
            self.assertIn(self.space.name, self.client.namespaces())
            self.assertEqual(len([one for one in self.space.logs(started[0]) if one["msg"] == '"0"']), 1)

    def test_an_event_starts_its_workflow_once(self):
        self.space.push("paid", PAID)
        for _ in range(2):
            self.assertEqual(self.space.send_event("paid", {"order": BIG}, source="shop", id="e-1"), "e-1")
        started = []
        while not started:
            time.sleep(0.1)
            started = list(self.space.instances(workflow="paid"))
        event = self.space.wait(started[0]["id"])["paid"]
        self.assertEqual(event["data"], {"order": BIG})
        self.assertEqual(len(list(self.space.instances(workflow="paid"))), 1)

    def test_variables_are_bytes_or_json(self):
        self.space.set_variable("raw", b"\x00\xff")
        self.space.set_variable("text", "é")
        self.space.set_variable("json", {"id": BIG})
        values = [self.space.variable(name) for name in ("raw", "text", "json")]
        self.assertEqual(values, [b"\x00\xff", "é".encode(), b'{"id": %d}' % BIG])
        self.space.delete_variable("raw")
        self.assertEqual(sorted(one["name"] for one in self.space.variables()), ["json", "text"])

    def test_secrets_are_set_twice_and_listed_without_values(self):
        self.space.set_secret("token", "a")
        self.space.set_secret("token", "b")
        self.assertEqual([one["name"] for one in self.space.secrets()], ["token"])
        self.space.delete_secret("token")
        self.assertEqual(self.space.secrets(), [])

    def test_an_approval_is_decided_once(self):
        self.space.push("approve", APPROVE)
        instance = self.space.start("approve")
        while not self.space.approvals(workflow="approve"):
            time.sleep(0.1)
        self.assertEqual(self.space.approval(instance)["choices"], ["approve", "refuse"])
        self.assertEqual(self.space.decide(instance, "approve", by="Ada")["choice"], "approve")
        self.assertEqual(self.space.wait(instance)["by"], "Ada")
        with self.assertRaises(WeftError):
            self.space.decide(instance, "refuse")

    def test_any_operation_can_be_called_by_its_name(self):
        usage = self.client.call("getUsage", namespace=self.space.name)
        self.assertIn("quotas", usage)
        with self.assertRaisesRegex(ValueError, "no operation 'getUsages'"):
            self.client.call("getUsages", namespace=self.space.name)
        with self.assertRaisesRegex(ValueError, "needs a value for each name"):
            self.client.call("getUsage")
        with self.assertRaisesRegex(ValueError, "'namespace' is empty"):
            self.client.call("getUsage", namespace="")

    def test_a_stream_yields_a_frame_now_and_after_each_change(self):
        self.space.push("soon", LATER.replace("PT2S", "PT1S"))
        instance = self.space.start("soon")
        states = []
        for frame in self.client.stream("getInstance", namespace=self.space.name, instance=instance):
            states.append(frame["instance"]["status"])
            if states[-1] != "pending":
                break
        self.assertEqual((states[0], states[-1]), ("pending", "complete"))
        self.space.push("greet", GREET)
        instance = self.space.start("greet", {"name": "Ada", "id": BIG})
        path = {"namespace": self.space.name, "instance": instance}
        lines = []
        for frame in self.client.stream("getInstanceLogs", **path):
            lines += [one["msg"] for one in frame["results"]]
            if "Workflow completed." in lines:
                break
        self.assertIn('"Ada"', lines)

    def test_a_stream_that_does_not_exist_is_an_error(self):
        with self.assertRaisesRegex(ValueError, "'getUsage' has no stream; these have one: .*getInstance, "):
            self.client.stream("getUsage", namespace=self.space.name)
        with self.assertRaises(WeftError) as raised:
            next(self.client.stream("getInstance", namespace=self.space.name, instance=str(uuid.uuid4())))
        self.assertIn("not found", raised.exception.message)
        with self.assertRaises(WeftError) as raised:
            next(Client(URL, "wrong").stream("listNamespaces"))
        self.assertEqual(raised.exception.status, 401)

    def test_a_wrong_key_is_refused(self):
        with self.assertRaises(WeftError) as raised:
            Client(URL, "wrong").namespaces()
        self.assertEqual(raised.exception.status, 401)


class Frames(unittest.TestCase):
    def test_lines_end_in_three_ways_and_data_may_have_several(self):
        sent = b"data: a\r\nid: 7\r\n\r\n: a comment\n\nevent: error\rdata:b\rdata: c\r\rdata\n\nother: x\n\ndata: cut"
        for size in (1, 2, 1000):
            raw = io.BufferedReader(Pieces(sent, size))
            self.assertEqual(list(frames_of(raw)), [("message", "a"), ("error", "b\nc"), ("message", "")])


class Pieces(io.RawIOBase):
    """Bytes that arrive in pieces of a size."""

    def __init__(self, content, size):
        self.left, self.size = content, size

    def readable(self):
        return True

    def readinto(self, buffer):
        piece, self.left = self.left[: self.size], self.left[self.size :]
        buffer[: len(piece)] = piece
        return len(piece)


class Faults(unittest.TestCase):
    """A server that replies as `replies` says: a status, or None, which closes the connection without a reply."""

    def serve(self, *replies):
        seen, left = [], list(replies)

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                seen.append((self.command, self.path.split("?")[0], self.headers.get("Idempotency-Key")))
                status, headers = left.pop(0)
                if status is None:
                    self.close_connection = True
                    return
                body = json.dumps({"instance": "i", "results": []} if status == 200 else {"message": "busy"}).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(body))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_PUT = answer

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return Client(f"http://127.0.0.1:{server.server_port}", "k", timeout=10), seen

    def test_a_lost_reply_to_a_start_is_repeated_with_the_same_key(self):
        client, seen = self.serve((None, {}), (503, {}), (200, {}))
        self.assertEqual(client.namespace("n").start("w"), "i")
        self.assertEqual(len(seen), 3)
        self.assertEqual(len({key for _, _, key in seen}), 1)
        self.assertIsNotNone(seen[0][2])

    def test_a_lost_reply_to_a_write_is_not_repeated(self):
        client, seen = self.serve((None, {}))
        with self.assertRaises(UnreachableError) as raised:
            client.namespace("n").set_variable("v", "x")
        self.assertTrue(raised.exception.was_sent)
        self.assertEqual(len(seen), 1)

    def test_a_write_that_was_refused_for_its_rate_is_repeated(self):
        client, seen = self.serve((429, {"Retry-After": "0"}), (200, {}))
        client.namespace("n").set_variable("v", "x")
        self.assertEqual(len(seen), 2)

    def test_a_run_that_has_not_ended_is_asked_for_again(self):
        client, seen = self.serve((504, {"Service-Instance-Id": "i"}), (200, {}))
        client.namespace("n").run("w")
        self.assertEqual(len({key for _, _, key in seen}), 1)
        self.assertEqual(len(seen), 2)

    def test_a_stream_is_opened_again_until_it_begins_and_not_after_it_broke(self):
        client, seen = self.serve((503, {}), (None, {}), (200, {"Transfer-Encoding": "chunked"}))
        with self.assertRaises(UnreachableError):
            list(client.stream("listNamespaces"))
        self.assertEqual(len(seen), 3)

    def test_a_redirect_is_an_error_and_the_key_is_not_sent_on(self):
        other, reached = self.serve((200, {}))
        client, _ = self.serve((307, {"Location": "http://localhost:1/"}))
        with self.assertRaises(WeftError) as raised:
            client.namespaces()
        self.assertEqual(raised.exception.status, 307)
        self.assertEqual(reached, [])

    def test_a_service_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(UnreachableError, "http://127.0.0.1:1 cannot be reached") as raised:
            Client("http://127.0.0.1:1", attempts=2).namespaces()
        self.assertFalse(raised.exception.was_sent)
        with self.assertRaisesRegex(ValueError, "'file:///etc' is no address"):
            Client("file:///etc")


if __name__ == "__main__":
    unittest.main()
