"""Serves a function as an agent of Proofmark: copy this file beside your own."""
import json, sys


def serve(answer):
    lines, count = iter(sys.stdin), 0
    stdout, sys.stdout = sys.stdout, sys.stderr  # what the agent prints is no answer

    def say(message):
        print(json.dumps(message), file=stdout, flush=True)

    def call_tool(name, **args):
        nonlocal count
        count += 1
        say({"tool_requests": [{"id": f"call_{count}", "name": name, "args": args}]})
        return json.loads(next(lines))["tool_results"][0].get("result")

    for line in lines:
        try:
            said = answer(json.loads(line), call_tool)
            say({"output": said} if isinstance(said, str) else said)
        except Exception as error:
            say({"error": f"{type(error).__name__}: {error}"})
