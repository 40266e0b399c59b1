import { expect, test } from 'vitest';
import { readJobEnvironment } from './environment.ts';

test('wrong variables of tracing cost the trace and not the job, and no key is told', () => {
  const told = readJobEnvironment({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317',
    OTEL_EXPORTER_OTLP_HEADERS: 'a key without a name',
  });
  expect(told).toMatchObject({ ok: true, environment: { tracing: { endpoint: undefined, headers: {} } } });
  const untraced = told.ok ? told.untraced : [];
  expect(untraced).toEqual([
    expect.stringContaining('OTEL_EXPORTER_OTLP_ENDPOINT'),
    expect.stringContaining('OTEL_EXPORTER_OTLP_HEADERS'),
  ]);
  expect(untraced.join('\n')).not.toContain('without a name');
});

test('what does not describe this job is told, and changes nothing else', () => {
  const told = readJobEnvironment({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example.com',
    OTEL_RESOURCE_ATTRIBUTES: 'team',
    OTEL_SERVICE_NAME: 'gate',
  });
  expect(told).toMatchObject({
    ...{ ok: true, untraced: [] },
    environment: { tracing: { resource: { 'service.name': 'gate' }, problem: expect.stringContaining('"team"') } },
  });
});

test('a header may have any name that HTTP takes', () => {
  const told = readJobEnvironment({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example.com',
    OTEL_EXPORTER_OTLP_HEADERS: 'x_api.key=abc',
  });
  expect(told).toMatchObject({ ok: true, untraced: [], environment: { tracing: { headers: { 'x_api.key': 'abc' } } } });
});
