import { Role } from '@proofmark/contracts/words';
import { expect, test } from 'vitest';
import { scopesOfRole, scopesWithin } from './principal-roles.ts';

test('a token does what it was made for, as far as the role of its owner goes', () => {
  expect([...scopesWithin('reader', ['runs:read', 'runs:write'])]).toEqual(['runs:read']);
  expect([...scopesWithin('writer', ['admin'])]).not.toContain('admin');
  expect([...scopesWithin('writer', ['admin'])]).toContain('runs:write');
  expect([...scopesWithin('admin', ['runs:read'])]).toEqual(['runs:read']);
  expect([...scopesWithin('runner', ['admin', 'runs:read'])]).toEqual([]);
});

test('only a token that names it may ask large requests', () => {
  for (const role of Role.options) expect([...scopesWithin(role, ['admin'])]).not.toContain('queries:large');
  expect([...scopesWithin('reader', ['queries:large'])]).toEqual(['queries:large']);
});

test('whoever signs in by name has what the role says, and nothing more', () => {
  expect(scopesOfRole('admin')).toEqual(['admin']);
  expect(scopesOfRole('reader')).toEqual(['runs:read']);
});
