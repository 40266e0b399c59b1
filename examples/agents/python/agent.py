import re

from proofmark_agent import serve


def answer(asked, call_tool):
    found = re.search(r"A-\d+", asked["input"])
    if not found:
        return "Which order do you mean?"
    order = call_tool("find_order", id=found.group())
    return f"Order {found.group()} arrives on {order['arrives']}."


serve(answer)
