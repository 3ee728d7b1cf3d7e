"""A worker in Python, with nothing but its standard library: WEFT_URL, WEFT_KEY, WEFT_NAMESPACE and a queue."""
import json
import os
import sys
import urllib.error
import urllib.request

URL = f"{os.environ['WEFT_URL']}/api/namespaces/{os.environ['WEFT_NAMESPACE']}/workers/{sys.argv[1]}"
HEADERS = {"Service-Api-Key": os.environ["WEFT_KEY"], "Content-Type": "application/json"}


def call(op, body):
    request = urllib.request.Request(f"{URL}?op={op}", json.dumps(body).encode(), HEADERS)
    with urllib.request.urlopen(request, timeout=90) as response:
        return json.load(response)


def work(value):
    """Your work; what it returns is the result of the action."""
    return {"label": "image " + value["image"]}


while True:
    for task in call("poll", {"worker": "python", "max": 5, "wait": "PT20S"})["tasks"]:
        held = {"task": task["task"], "lease": task["lease"]}
        try:
            call("complete", held | {"output": work(task["input"])})
        except KeyError as missing:
            call("fail", held | {"code": "input.incomplete", "message": str(missing)})
        except urllib.error.HTTPError as refused:
            # 409: the lease is over, and another worker has the task.
            print(refused, file=sys.stderr)
