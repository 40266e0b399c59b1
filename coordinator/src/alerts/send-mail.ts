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
    await transport.sendMail({
      from,
      to: [...mail.to],
      subject: title,
      text: [title, '', ...lines, ...(link === null ? [] : ['', link]), ''].join('\n'),
      messageId: mail.messageId,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Proofmark-Alert': mail.message.id },
    });
    return { state: 'done', externalId: null };
  } catch (error) {
    const reason = `the mail server did not take it: ${error instanceof Error ? error.message.slice(0, 300) : 'unknown'}`;
    const refused = Object(error).responseCode;
    return typeof refused === 'number' && refused >= 500
      ? { state: 'parked', reason, isFinal: true }
      : { state: 'retry', reason, afterMs: backoffMs(mail.tries) };
  } finally {
    transport.close();
  }
}
