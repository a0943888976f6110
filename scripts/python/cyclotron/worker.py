"""A process that runs points of a plan: the plan comes in as a line of JSON, then numbers of points; a line of
JSON goes out for each."""
import json
import os
import sys

from ._library import CyclotronError
from .plan import Plan


def main():
    # what anything else prints must not come between the lines
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    plan = None
    for line in sys.stdin:
        try:
            if plan is None:
                plan = Plan(json.loads(line))
                outcome = {"points": len(plan)}
            else:
                outcome = plan.run(int(line))
        except CyclotronError as e:
            outcome = {"error": str(e)}
        print(json.dumps(outcome), file=answers, flush=True)
        if plan is None:
            break


if __name__ == "__main__":
    main()
