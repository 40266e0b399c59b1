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
};

export const tracingSecrets = ['OTEL_EXPORTER_OTLP_HEADERS'] as const;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
