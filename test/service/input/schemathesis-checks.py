"""What schemathesis is to look for besides what it knows itself."""

import schemathesis

FAULT = "an internal error occurred"


@schemathesis.check
def no_fault(ctx, response, case):
    """Clients know some refusals by the status 500; a fault of the service says so in its own words."""
    if response.status_code >= 500 and FAULT in (response.text or ""):
        raise AssertionError("a fault of the service: " + response.text)
