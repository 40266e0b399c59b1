import { z } from 'zod';

/** Kinds of environment variables, the same for every process. Each one's message goes on after the value: what it must be, with an example. */

/** A whole number within bounds, in digits only: `1e3`, ` 8 ` and `0x10` are slips of the pen. */
export const wholeNumber = (least: number, most: number, example: number) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,16}$/.test(text) && Number(text) >= least && Number(text) <= most,
      `must be a whole number from ${least} to ${most}, such as ${example}`,
    )
    .transform(Number);

const dayMs = 86_400_000;

export const milliseconds = (fallback: number) => wholeNumber(1, dayMs, fallback).default(fallback);

/** An amount of money. */
export const amountUsd = (most: number) =>
  z
    .string()
    .refine(
      (text) => /^\d{1,12}(\.\d{1,6})?$/.test(text) && Number(text) <= most,
      `must be an amount in US dollars from 0 to ${most}, such as 1.00`,
    )
    .transform(Number);

/** True or false. */
export const flag = z
  .enum(['0', '1', 'false', 'true'], 'must be 1 or 0; true and false are read as well')
  .transform((text) => text === '1' || text === 'true');

/** One of a few words. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`);

/** The address of a service, without the slash at its end. */
export const webAddress = (example: string) =>
  z.url({ protocol: /^https?$/, error: `must be a URL like ${example}` }).transform((url) => url.replace(/\/+$/, ''));

/** The same, where plain http is refused except on this machine, where nobody can listen in between. */
export const safeAddress = (example: string) =>
  webAddress(example).refine(
    (url) => url.startsWith('https:') || /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/.test(url),
    `must use https, for what comes from there is trusted (http is for this machine only), such as ${example}`,
  );

/** Where a server listens. */
export const hostName = z
  .string()
  .regex(/^[A-Za-z0-9.:_-]{1,255}$/, 'must be an address or the name of a host, such as 0.0.0.0 or ::1');

/** One broker or several. */
export const brokerAddresses = z
  .string()
  .regex(
    /^(nats|tls):\/\/[^\s,]+(,(nats|tls):\/\/[^\s,]+)*$/,
    'must be like nats://host:4222; several servers are separated by commas',
  );

export const logLevel = oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
