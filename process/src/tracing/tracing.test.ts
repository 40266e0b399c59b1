import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { diag } from '@opentelemetry/api';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { receiveSpans } from '../../../tests/stack/otlp-receiver.ts';
import { telemetrySettings, tracingVariables } from '../environment/tracing-variables.ts';
import { maskedLog } from '../masked-log.ts';
import { receiverOf } from './otlp.ts';
import { inSpan, startTracing, tracing } from './tracing.ts';

const receiver = await receiveSpans();
afterAll(() => receiver.stop());

const nothing = () => undefined;
// A busy machine may stand still for longer than a service waits.
const options = { serviceName: 'a test', version: '1.0.0', headers: {}, onTrouble: nothing, timeoutMs: 15_000 };

const lineOf = async (): Promise<Record<string, unknown>> => {
  const lines: string[] = [];
  const log = maskedLog({ level: 'info', secrets: [], urls: [] }, (line) => lines.push(line));
  await inSpan({ name: 'work' }, async () => log.info('hello'));
  return JSON.parse(lines[0] ?? '{}');
};

describe('traces', () => {
  test('nothing is noted, and nothing loaded, where nobody wants to see them', async () => {
    await using _off = await startTracing({ ...options, endpoint: undefined });
    expect(tracing()).toBeNull();
    expect(await inSpan({ name: 'work' }, async (span) => span)).toBeNull();
    expect(await lineOf()).not.toHaveProperty('trace_id');
    expect(receiver.spans).toEqual([]);
  });

  test('a span is below the one that a header names, and below the one in which it began', async () => {
    const parent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
    let line: Record<string, unknown> = {};
    {
      await using _on = await startTracing({ ...options, endpoint: `${receiver.endpoint}/` });
      await inSpan({ name: 'outer', kind: 'server', parent, attributes: { size: 3 } }, async () => {
        expect(tracing()?.traceparent()).toMatch(/^00-(ab){16}-[0-9a-f]{16}-01$/);
        line = await lineOf();
      });
      const failing = inSpan({ name: 'failing', parent: 'not a header' }, () => Promise.reject(new TypeError('no')));
      await expect(failing).rejects.toThrow('no');
    }
    expect(tracing()).toBeNull();
    const [work, outer, failing] = ['work', 'outer', 'failing'].map((name) =>
      receiver.spans.find((span) => span.name === name),
    );
    expect(outer).toMatchObject({
      ...{ traceId: 'ab'.repeat(16), parentSpanId: 'cd'.repeat(8), service: 'a test', attributes: { size: 3 } },
    });
    expect(work).toMatchObject({ traceId: outer?.traceId, parentSpanId: outer?.spanId });
    expect(line).toMatchObject({ trace_id: work?.traceId, span_id: work?.spanId });
    expect(failing?.parentSpanId).toBeNull();
  });

  test('a receiver that is away costs spans, and nothing else', async () => {
    const troubles: string[] = [];
    const away = {
      ...options,
      timeoutMs: 1000,
      endpoint: 'http://127.0.0.1:1',
      onTrouble: (reason: string) => void troubles.push(reason),
    };
    await using _on = await startTracing(away);
    expect(await inSpan({ name: 'work' }, async () => 'done')).toBe('done');
  });

  test('a receiver that is away is told of now and then, not each time that something is to be sent', () => {
    const told: string[] = [];
    receiverOf({ ...options, endpoint: receiver.endpoint, onTrouble: (reason) => void told.push(reason) }, 'traces');
    for (const reason of ['first', 'second', 'third']) diag.error(reason);
    expect(told).toEqual(['first']);
  });

  test('each process says which one it is, the same of its traces as of its metrics', async () => {
    const told = (what: 'traces' | 'metrics') =>
      receiverOf({ ...options, endpoint: receiver.endpoint }, what).resource.attributes['service.instance.id'];
    const script = `import { receiverOf } from ${JSON.stringify(new URL('otlp.ts', import.meta.url).href)};
      const options = { serviceName: 'a', version: '1', endpoint: 'http://127.0.0.1:1', headers: {}, onTrouble() {} };
      process.stdout.write(String(receiverOf(options, 'metrics').resource.attributes['service.instance.id']));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    expect(told('traces')).toBe(told('metrics'));
    expect(stdout).toMatch(/^[0-9a-f-]{36}$/);
    expect(stdout).not.toBe(told('metrics'));
  });

  test('what the environment says of this process goes before what is said here', () => {
    const resource = { 'service.name': 'mine', team: 'a' };
    const told = receiverOf({ ...options, endpoint: receiver.endpoint, resource }, 'traces').resource.attributes;
    expect(told).toMatchObject({ ...resource, 'service.version': '1.0.0' });
  });

  test.for<[string, Record<string, string>]>([
    ['', {}],
    ['team=a, deployment.environment.name = b c ,', { team: 'a', 'deployment.environment.name': 'b c' }],
    ['a%2Cb=1%3D2%25,empty=,url=http://x?a=b', { 'a,b': '1=2%', empty: '', url: 'http://x?a=b' }],
    ['service.name=mine', { 'service.name': 'mine' }],
  ])('resource attributes are read as OpenTelemetry writes them: %s', ([text, resource]) => {
    const read = (variables: Record<string, string>) => telemetrySettings(z.object(tracingVariables).parse(variables));
    expect(read({ OTEL_RESOURCE_ATTRIBUTES: text })).toMatchObject({ resource, problem: null });
    expect(read({ OTEL_RESOURCE_ATTRIBUTES: text, OTEL_SERVICE_NAME: 'named' }).resource).toEqual({
      ...resource,
      'service.name': 'named',
    });
  });

  test.for(['team', 'a=1,=b', 'a=%', 'a=1,%E0%A4%A=b'])(
    'one wrong part of %s costs all of them, and is told',
    (text) => {
      const { resource, problem } = telemetrySettings(
        z.object(tracingVariables).parse({ OTEL_RESOURCE_ATTRIBUTES: text }),
      );
      expect(resource).toEqual({});
      expect(problem).toMatch(
        /^OTEL_RESOURCE_ATTRIBUTES: none of it is used, because "(?:team|=b|a=%|%E0%A4%A=b)" is not /,
      );
    },
  );

  test('headers of the receiver are read as OpenTelemetry writes them', () => {
    const { OTEL_EXPORTER_OTLP_HEADERS: headers } = tracingVariables;
    expect(headers.parse('api-key=a%20b, x-team = one')).toEqual({ 'api-key': 'a b', 'x-team': 'one' });
    expect(headers.parse('')).toEqual({});
    expect(headers.safeParse('nothing').success).toBe(false);
  });
});
