import { expect, test } from 'vitest';
import { maskSecret } from './mask-secret.ts';

const masked = (secret: string) => {
  const forms: string[] = [];
  maskSecret(secret, (form) => void forms.push(form));
  return forms;
};

test('a secret is masked as it is, in base64 and as part of an address', () => {
  expect(masked('pmk_a+b/c=')).toEqual(['pmk_a+b/c=', 'cG1rX2ErYi9jPQ==', 'pmk_a%2Bb%2Fc%3D']);
});

test('nothing that is in every line is masked', () => {
  expect(masked('')).toEqual([]);
  expect(masked('key')).toEqual([]);
});
