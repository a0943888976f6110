"""A process that runs points of a plan: numbers of points come in, a line of JSON goes out."""
import json
import sys

from ._library import CyclotronError
from .plan import Plan


def main():
    plan = Plan(sys.argv[1])
    for line in sys.stdin:
        try:
            outcome = plan.run(int(line))
        except CyclotronError as e:
            outcome = {"error": str(e)}
        print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    main()
