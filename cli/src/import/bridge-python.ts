import { environmentPlace } from './hide-secrets.ts';
import { writtenMark } from './object-mark.ts';

/** Serves as a check. */
export const pythonCheck = `"""Runs an assertion of promptfoo in Python: a file, or the text of the assertion itself."""
import importlib.util, json, os, sys, textwrap


def assertion_of(config):
    code = config.get("code")
    if code is None:
        sys.path.insert(0, os.path.dirname(os.path.abspath(config["file"])))
        spec = importlib.util.spec_from_file_location("assertion", config["file"])
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return getattr(module, config.get("name", "get_assert"))
    body = textwrap.dedent(code).strip()
    source = body if "\\n" in body or body.startswith("return") else f"return ({body})"
    scope = {"json": json}
    exec("import json, re\\ndef run(output, context):\\n" + textwrap.indent(source, "    "), scope)
    return scope["run"]


def shown(output):
    """What promptfoo would show: a provider that gave an object has it written as JSON with a mark behind it."""
    try:
        value = json.loads(output) if output.endswith(${writtenMark}) else output
    except ValueError:
        return output
    return value if isinstance(value, (dict, list)) else output


answers, sys.stdout = sys.stdout, sys.stderr  # what the assertion prints is no answer
for line in sys.stdin:
    asked = json.loads(line)
    context = dict(asked["context"])
    own = context["config"]
    context["vars"], context["config"] = own.get("vars", {}), own.get("config", {})
    try:
        result = assertion_of(own)(shown(asked["output"]), context)
        if isinstance(result, dict):
            result = {("pass" if key == "pass_" else key): value for key, value in result.items()}
        said = {"result": result} if not isinstance(result, dict) else result
    except Exception as error:
        said = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(said), file=answers, flush=True)
`;

/** Serves as an agent. */
export const pythonProvider = `"""Serves a provider of promptfoo in Python as an agent."""
import asyncio, importlib.util, inspect, json, os, re, subprocess, sys

# Calls what a file of JavaScript exports.
exported = """const say = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr); // what the file prints is no setting
const loaded = await import(process.argv[1]);
const found = process.argv[2] ? (loaded[process.argv[2]] ?? loaded.default?.[process.argv[2]]) : loaded.default;
say(JSON.stringify((typeof found === 'function' ? await found() : found) ?? null));"""


def load(path):
    spec = importlib.util.spec_from_file_location("provider", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def of_environment(place):
    """Read when the provider runs: no file holds a key."""
    name = place[1]
    if name not in os.environ:
        sys.exit(f"{name} is not set here: set it, and name it in PROOFMARK_PROGRAM_ENVS")
    return os.environ[name]


def filled(value):
    """A setting, or what stands in the file, or is made by the program, that it names."""
    if isinstance(value, dict):
        return {key: filled(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [filled(inner) for inner in value]
    if not isinstance(value, str):
        return value
    if not value.startswith("file://"):
        return re.sub(r"${environmentPlace}", of_environment, value)
    path, _, name = value[len("file://"):].partition(":")
    if path.endswith((".json", ".txt", ".md")):
        text = open(path, encoding="utf-8", newline="").read()
        return filled(json.loads(text)) if path.endswith(".json") else text
    if path.endswith(".py"):
        return getattr(load(path), name or "get_config")()
    said = subprocess.run(["node", "--input-type=module", "-e", exported, os.path.abspath(path), name], check=True, stdout=subprocess.PIPE)
    return json.loads(said.stdout)


path, name, config = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
values = json.load(open(sys.argv[4])) if len(sys.argv) > 4 and os.path.exists(sys.argv[4]) else {}
answers, sys.stdout = sys.stdout, sys.stderr  # what the provider prints is no answer
sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
module = load(path)
config = filled(config)
for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = getattr(module, name)(asked["input"], {"config": config}, {"vars": values.get(asked["input"], {})})
        if inspect.isawaitable(answer):
            answer = asyncio.run(answer)
        answer = answer if isinstance(answer, dict) else {"output": answer}
        if answer.get("error"):
            raise RuntimeError(answer["error"])
        output = answer.get("output")
        if isinstance(output, (dict, list)):  # the checks know it again by this mark
            output = json.dumps(output, ensure_ascii=False, separators=(",", ":")) + ${writtenMark}
        said = {"output": output if isinstance(output, str) else json.dumps(output)}
        if isinstance(answer.get("cost"), (int, float)):
            said["cost_usd"] = answer["cost"]
    except Exception as error:
        said = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(said), file=answers, flush=True)
`;
