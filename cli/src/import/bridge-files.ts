/** Runs assertions and providers of promptfoo as they are. Written beside what is imported, to be read and changed. */
const javascriptCheck = `// Runs an assertion of promptfoo in JavaScript: a file, or the text of the assertion itself.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

async function assertionOf({ file, name, code }) {
  if (code !== undefined) {
    const isExpression = !code.trim().includes('\\n') && !/^(?:return|const|let|var|if)\\b/.test(code.trim());
    const body = isExpression ? \`return (\${code.trim().replace(/;$/, '')});\` : code;
    return new (Object.getPrototypeOf(async () => {}).constructor)('output', 'context', body);
  }
  const loaded = await import(pathToFileURL(resolve(file)).href);
  const found = name === undefined ? (loaded.default?.default ?? loaded.default) : (loaded[name] ?? loaded.default?.[name]);
  if (typeof found !== 'function') throw new Error(\`\${file} exports no function \${name ?? 'default'}\`);
  return found;
}

export default async (output, context) => {
  const { vars, config, ...assertion } = context.config;
  const run = await assertionOf(assertion);
  const test = { ...context.test, vars };
  return await run(output, { ...context, vars, config, test });
};
`;

const pythonCheck = `"""Runs an assertion of promptfoo in Python: a file, or the text of the assertion itself."""
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


answers, sys.stdout = sys.stdout, sys.stderr  # what the assertion prints is no answer
for line in sys.stdin:
    asked = json.loads(line)
    context = dict(asked["context"])
    own = context["config"]
    context["vars"], context["config"] = own.get("vars", {}), own.get("config", {})
    try:
        result = assertion_of(own)(asked["output"], context)
        if isinstance(result, dict):
            result = {("pass" if key == "pass_" else key): value for key, value in result.items()}
        said = {"result": result} if not isinstance(result, dict) else result
    except Exception as error:
        said = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(said), file=answers, flush=True)
`;

const pythonProvider = `"""Serves a provider of promptfoo in Python as an agent."""
import importlib.util, json, os, sys

path, name, config = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
answers, sys.stdout = sys.stdout, sys.stderr  # what the provider prints is no answer
sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
spec = importlib.util.spec_from_file_location("provider", path)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = getattr(module, name)(asked["input"], {"config": config}, {"vars": {}})
        answer = answer if isinstance(answer, dict) else {"output": answer}
        if answer.get("error"):
            raise RuntimeError(answer["error"])
        output = answer.get("output")
        said = {"output": output if isinstance(output, str) else json.dumps(output)}
        if isinstance(answer.get("cost"), (int, float)):
            said["cost_usd"] = answer["cost"]
    except Exception as error:
        said = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(said), file=answers, flush=True)
`;

/** A function that asks a provider of promptfoo in JavaScript, as an agent of the driver \`module\`. */
const javascriptProvider = (
  file: string,
  config: unknown,
): string => `// Serves a provider of promptfoo in JavaScript as an agent.
import * as loaded from ${JSON.stringify(`../${file}`)};

const config = ${JSON.stringify(config ?? {})};
const given = loaded.default?.default ?? loaded.default;
const provider = typeof given === 'function' && given.prototype?.callApi ? new given({ id: ${JSON.stringify(file)}, config }) : given;
const call = typeof provider === 'function' ? provider : provider.callApi.bind(provider);

export default async ({ input }) => {
  const { output, error, cost } = await call(input, { vars: {}, prompt: { raw: input, label: 'prompt' } }, { config });
  if (error) throw new Error(String(error));
  return { output: typeof output === 'string' ? output : JSON.stringify(output), ...(cost === undefined ? {} : { cost_usd: cost }) };
};
`;

const execProvider = (
  command: string,
): string => `// Runs a command with the prompt as its last argument, as promptfoo does.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const [program, ...given] = ${JSON.stringify(command.trim().split(/\s+/))};

export default async ({ input }) => {
  const { stdout } = await promisify(execFile)(program, [...given, input, '{}', '{}'], { maxBuffer: 8_000_000 });
  return stdout.trim();
};
`;

const echoProvider = `// Says what it is asked, as the provider \`echo\` of promptfoo does.
export default ({ input }) => input;
`;

/** A file to write, and its path from the folder of the import. */
export interface BridgeFile {
  path: string;
  text: string;
}

const folder = 'promptfoo';

export const bridgeFiles = {
  javascriptCheck: { path: `${folder}/javascript-check.mjs`, text: javascriptCheck },
  pythonCheck: { path: `${folder}/python_check.py`, text: pythonCheck },
  pythonProvider: { path: `${folder}/python_provider.py`, text: pythonProvider },
  echo: { path: `${folder}/echo.mjs`, text: echoProvider },
} as const satisfies Record<string, BridgeFile>;

export const javascriptAgent = (name: string, file: string, config: unknown): BridgeFile => ({
  path: `${folder}/${name}.mjs`,
  text: javascriptProvider(file, config),
});

export const execAgent = (name: string, command: string): BridgeFile => ({
  path: `${folder}/${name}.mjs`,
  text: execProvider(command),
});
