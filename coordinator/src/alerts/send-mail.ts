import type { AlertMessage } from '@proofmark/contracts/alert-message';
import { createTransport } from 'nodemailer';
import type { DeliveryResult } from '../feedback/feedback-port.ts';
import { backoffMs } from './send-webhook.ts';

/** The mail server of the operator. */
export interface MailSettings {
  /** `smtp://` or `smtps://`, with its login. */
  url: string;
  from: string;
}

interface Mail {
  to: readonly string[];
  message: AlertMessage;
  /** The same for every try: a mail server or program that knows it shows the mail once. */
  messageId: string;
  tries: number;
}

const timeoutMs = 15_000;

/** Hands a mail to the server, which sends it on. */
export async function sendMail({ url, from }: MailSettings, mail: Mail): Promise<DeliveryResult> {
  const { title, lines, url: link } = mail.message;
  const transport = createTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // A text is a text, and never the name of something to attach.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const { rejected } = await transport.sendMail({
      from,
      to: [...mail.to],
      subject: title,
      text: [title, '', ...lines, ...(link === null ? [] : ['', link]), ''].join('\n'),
      messageId: mail.messageId,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Proofmark-Alert': mail.message.id },
    });
    if (rejected.length === 0) return { state: 'done', externalId: null };
    return { state: 'done', externalId: null, reason: `${refusal} for ${rejected.join(', ')}`.slice(0, 300) };
  } catch (error) {
    return afterFailure(error, mail.tries);
  } finally {
    transport.close();
  }
}

const refusal = 'the mail server did not take it';

/**
 * Only what a server says of a recipient or of the text is believed for good, and shown to whoever wrote them. All else is
 * between the operator and the server: it may be mended by the next try, and is told in the log.
 */
function afterFailure(error: unknown, tries: number): DeliveryResult {
  const { code, command, responseCode: answer } = Object(error);
  const detail = error instanceof Error ? error.message.slice(0, 300) : 'unknown';
  const isLogin = code === 'EAUTH' || (answer >= 530 && answer < 540);
  if (!isLogin && (command === 'RCPT TO' || code === 'EMESSAGE')) {
    const reason = `${refusal}: ${detail}`;
    return answer >= 500 ? { state: 'parked', reason, isFinal: true } : retry(reason, detail, tries);
  }
  if (isLogin) return retry('the mail server refused the login of the operator', detail, tries);
  return retry(answer === undefined ? 'the mail server was not reached' : refusal, detail, tries);
}

const retry = (reason: string, detail: string, tries: number): DeliveryResult => ({
  ...{ state: 'retry', reason, detail },
  afterMs: backoffMs(tries),
});
