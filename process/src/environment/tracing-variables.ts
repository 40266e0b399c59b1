import { z } from 'zod';
import { webAddress } from './variable-kinds.ts';

const headersForm = 'must be NAME=value, several separated by commas';

/** Where traces and metrics are sent to, by the names that OpenTelemetry gives to these variables. */
export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress('http://otel-collector:4318')
    .optional()
    .describe(
      'Receiver of traces and metrics (OTLP over HTTP), without /v1/traces. Absent: nothing is sent, and traces cost nothing',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .default('')
    .transform((text, issues) => {
      const pairs = text.split(',').flatMap((pair) => pair.trim() || []);
      const read = pairs.map((pair) => /^([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*)$/.exec(pair));
      if (read.some((pair) => pair === null)) issues.addIssue(headersForm);
      return Object.fromEntries(read.map((pair): [string, string] => [pair?.[1] ?? '', decoded(pair?.[2] ?? '')]));
    })
    .describe('Headers for that receiver, such as api-key=…'),
  OTEL_SERVICE_NAME: z
    .string()
    .optional()
    .describe('Who sends them; absent: what OTEL_RESOURCE_ATTRIBUTES says, else the name of the program'),
  OTEL_RESOURCE_ATTRIBUTES: z
    .string()
    .default('')
    .transform(readResource)
    .describe(
      'More about who sends them: NAME=value, several separated by commas, with `,`, `=` and `%` as %2C, %3D, %25',
    ),
};

type TracingValues = z.output<z.ZodObject<typeof tracingVariables>>;

/** OpenTelemetry asks that a wrong part costs all of them, is told, and stops nothing. */
function readResource(text: string): Pick<TelemetrySettings, 'resource' | 'problem'> {
  const pairs = text.split(',').flatMap((pair) => pair.trim() || []);
  const read = pairs.map((pair) => {
    const [name, value] = pair.split(/\s*=\s*(.*)$/s, 2).map(percentDecoded);
    return name && value !== undefined ? ([name, value] as const) : null;
  });
  const wrong = pairs.find((_pair, at) => read[at] === null);
  if (wrong === undefined)
    return { resource: Object.fromEntries(read.flatMap((pair) => (pair ? [pair] : []))), problem: null };
  const shown = wrong.length > 60 ? `${wrong.slice(0, 60)}…` : wrong;
  return {
    resource: {},
    problem: `OTEL_RESOURCE_ATTRIBUTES: none of it is used, because "${shown}" is not NAME=value with \`,\`, \`=\` and \`%\` as %2C, %3D and %25`,
  };
}

/** Who is asked to take traces and metrics, and who sends them. */
export interface TelemetrySettings {
  /** Absent: nothing is sent. */
  endpoint: string | undefined;
  headers: Readonly<Record<string, string>>;
  /** What the environment says of the sender; it goes before what the program says of itself. */
  resource: Readonly<Record<string, string>>;
  /** Why nothing of OTEL_RESOURCE_ATTRIBUTES is used. */
  problem: string | null;
}

export function telemetrySettings(told: TracingValues): TelemetrySettings {
  const { resource, problem } = told.OTEL_RESOURCE_ATTRIBUTES;
  const name = told.OTEL_SERVICE_NAME;
  return {
    ...{ endpoint: told.OTEL_EXPORTER_OTLP_ENDPOINT, headers: told.OTEL_EXPORTER_OTLP_HEADERS, problem },
    resource: { ...resource, ...(name === undefined ? {} : { 'service.name': name }) },
  };
}

export const tracingSecrets = ['OTEL_EXPORTER_OTLP_HEADERS'] as const;

const decoded = (text: string): string => percentDecoded(text) ?? text;

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
