import { inlineName } from '@proofmark/domain/markdown-text';
import { closeIssue, createComment, createIssue, listComments, listIssues } from '@proofmark/process/github';
import type { Writing } from './deliver-check.ts';
import type { DeliveryResult, IssueRow } from './feedback-port.ts';
import { IssueSubject } from './feedback-port.ts';
import type { RepositoryClient } from './github-app.ts';

/**
 * Opens an issue, once however often it is asked: by its mark it is found again, also by a replica that never heard of it.
 * What is over is told in the issue of when it began, which is closed then.
 */
export async function deliverIssue(
  row: IssueRow,
  { ask, owner, repo }: RepositoryClient,
  { write, alone, botLogin }: Writing & { botLogin: string },
): Promise<DeliveryResult> {
  const subject = IssueSubject.parse(row.subject);
  const { key, title, closes } = subject;
  const mark = `<!-- proofmark-alert: ${key} -->`;
  const body = `${bodyOf(subject)}\n\n${mark}`;
  const isOurs = (one: { author: string | null; body: string }) => one.author === botLogin && one.body.includes(mark);
  return await alone(`alert:${owner}/${repo}:${key}`, async () => {
    if (closes === null) {
      const found = (await listIssues(ask, botLogin)).find(isOurs);
      const issue = found ?? (await write(() => createIssue(ask, { title, body })));
      return { state: 'done', externalId: String(issue.number) };
    }
    const isTold = (await listComments(ask, closes)).some(isOurs);
    if (!isTold) await write(() => createComment(ask, closes, body));
    await write(() => closeIssue(ask, closes));
    return { state: 'done', externalId: String(closes) };
  });
}

/** The lines hold names of the repository. */
const bodyOf = ({ title, lines, url }: IssueSubject): string =>
  [inlineName(title, 500), ...lines.map((line) => inlineName(line, 500)), ...(url === null ? [] : [url])].join('\n\n');
