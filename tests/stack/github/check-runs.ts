import { type Answer, created, forbidden, notFound, ok, paged, parseBody, unprocessable } from './answer.ts';
import { CheckRunChange, NewCheckRun } from './check-run-input.ts';
import type { CheckRunRow } from './check-run-row.ts';
import { viewCheckRun } from './check-run-view.ts';
import { Ref } from './shapes.ts';
import { openRepository, type Request, type Route, type World } from './world.ts';

const repository = '/repos/:owner/:repo';

/** Check runs with the rules of GitHub, in place of the emulator's, which has few. */
export const checkRunRoutes: Route[] = [
  { method: 'POST', path: `${repository}/check-runs`, handle: createCheckRun },
  { method: 'PATCH', path: `${repository}/check-runs/:id`, handle: updateCheckRun },
  { method: 'GET', path: `${repository}/check-runs/:id`, handle: showCheckRun },
  { method: 'GET', path: `${repository}/check-runs/:id/annotations`, handle: listAnnotations },
  { method: 'GET', path: `${repository}/commits/:ref/check-runs`, handle: listForRef },
  { method: 'POST', path: `${repository}/check-runs/:id/rerequest`, handle: rerequest },
];

type Params = Record<string, string>;
const reading = { permissions: ['checks'], need: 'read' } as const;
const writing = { permissions: ['checks'], need: 'write' } as const;
const access = ({ permissions, need }: typeof reading | typeof writing) => ({ permissions: [...permissions], need });

async function createCheckRun(world: World, request: Request, params: Params): Promise<Answer> {
  const opened = await openRepository(world, request, params, access(writing));
  if ('refusal' in opened) return opened.refusal;
  const { caller } = request;
  if (caller.kind !== 'installation' && caller.kind !== 'job')
    return forbidden('You must authenticate via a GitHub App.');
  const parsed = parseBody('CheckRun', NewCheckRun, request.body);
  if ('refusal' in parsed) return parsed.refusal;
  const { name, head_sha, ...change } = parsed.value;
  const { full_name, id } = opened.repository;
  if (!(await hasCommit(world, full_name, head_sha))) {
    return unprocessable('CheckRun', [{ field: 'head_sha', message: `No commit found for SHA: ${head_sha}` }]);
  }
  const run: CheckRunRow = {
    id: 1_000 + world.checkRuns.length,
    repositoryId: id,
    repository: full_name,
    app: caller.app,
    name,
    head_sha,
    external_id: '',
    details_url: null,
    status: 'queued',
    conclusion: null,
    started_at: new Date().toISOString(),
    completed_at: null,
    output: { title: null, summary: null, text: null },
    annotations: [],
    actions: [],
  };
  world.checkRuns.push(run);
  apply(run, change);
  return created(viewCheckRun(world, run));
}

async function updateCheckRun(world: World, request: Request, params: Params): Promise<Answer> {
  const opened = await openRepository(world, request, params, access(writing));
  if ('refusal' in opened) return opened.refusal;
  const run = find(world, opened.repository.id, params);
  if (run === undefined) return notFound;
  const { caller } = request;
  const isOwner = 'app' in caller && caller.app.id === run.app.id;
  if (!isOwner)
    return forbidden(
      `Invalid app_id ${run.app.id} - check run can only be modified by the GitHub App that created it.`,
    );
  const parsed = parseBody('CheckRun', CheckRunChange, request.body);
  if ('refusal' in parsed) return parsed.refusal;
  const { status, conclusion } = parsed.value;
  if (run.status === 'completed' && status !== undefined && status !== 'completed' && conclusion === undefined) {
    return unprocessable('CheckRun', [{ field: 'status', message: 'a completed check run cannot be reopened' }]);
  }
  apply(run, parsed.value);
  return ok(viewCheckRun(world, run));
}

function apply(run: CheckRunRow, { output, conclusion, status, ...rest }: CheckRunChange): void {
  Object.assign(run, defined(rest));
  // A conclusion completes the run even when the status says otherwise or nothing.
  run.status = conclusion === undefined ? (status ?? run.status) : 'completed';
  run.conclusion = conclusion ?? run.conclusion;
  if (run.status === 'completed') run.completed_at ??= new Date().toISOString();
  if (output === undefined) return;
  const { annotations, ...texts } = output;
  Object.assign(run.output, defined(texts));
  run.annotations.push(...annotations);
}

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

async function showCheckRun(world: World, request: Request, params: Params): Promise<Answer> {
  const opened = await openRepository(world, request, params, access(reading));
  if ('refusal' in opened) return opened.refusal;
  const run = find(world, opened.repository.id, params);
  return run === undefined ? notFound : ok(viewCheckRun(world, run));
}

async function listAnnotations(world: World, request: Request, params: Params): Promise<Answer> {
  const opened = await openRepository(world, request, params, access(reading));
  if ('refusal' in opened) return opened.refusal;
  const run = find(world, opened.repository.id, params);
  if (run === undefined) return notFound;
  const { slice, headers } = paged(run.annotations, request.url);
  const body = slice.map((annotation) => ({
    start_column: null,
    end_column: null,
    title: null,
    raw_details: null,
    ...annotation,
    blob_href: `${world.origin}/${run.repository}/blob/${run.head_sha}/${annotation.path}`,
  }));
  return { status: 200, body, headers };
}

async function listForRef(world: World, request: Request, params: Params): Promise<Answer> {
  const opened = await openRepository(world, request, params, access(reading));
  if ('refusal' in opened) return opened.refusal;
  const { full_name, id } = opened.repository;
  const sha = await resolveRef(world, full_name, params.ref ?? '');
  if (sha === undefined)
    return unprocessable('CheckRun', [{ field: 'ref', message: `No commit found for SHA: ${params.ref}` }]);

  const { searchParams } = request.url;
  const wanted = (field: string, value: string | number) => [null, String(value)].includes(searchParams.get(field));
  const found = world.checkRuns
    .filter((run) => run.repositoryId === id && run.head_sha === sha)
    .filter(
      ({ name, status, app }) => wanted('check_name', name) && wanted('status', status) && wanted('app_id', app.id),
    )
    .toReversed();
  const listed = searchParams.get('filter') === 'all' ? found : latest(found);
  const { slice, headers } = paged(listed, request.url);
  const check_runs = slice.map((run) => viewCheckRun(world, run));
  return { status: 200, body: { total_count: listed.length, check_runs }, headers };
}

/** The newest run of each name and App; `runs` are newest first. */
function latest(runs: CheckRunRow[]): CheckRunRow[] {
  const seen = new Set<string>();
  return runs.filter(({ app, name }) => {
    const key = `${app.id} ${name}`;
    return !seen.has(key) && seen.add(key);
  });
}

async function rerequest(world: World, request: Request, params: Params): Promise<Answer> {
  const opened = await openRepository(world, request, params, access(writing));
  if ('refusal' in opened) return opened.refusal;
  const run = find(world, opened.repository.id, params);
  if (run === undefined) return notFound;
  await world.webhooks.send('check_run', {
    action: 'rerequested',
    check_run: viewCheckRun(world, run),
    repository: opened.repository,
    sender:
      request.caller.kind === 'user' ? { login: request.caller.login, id: request.caller.id, type: 'User' } : null,
  });
  return created({});
}

function find({ checkRuns }: World, repositoryId: number, { id }: Params): CheckRunRow | undefined {
  return checkRuns.find((run) => run.repositoryId === repositoryId && run.id === Number(id));
}

async function hasCommit({ emulator }: World, fullName: string, sha: string): Promise<boolean> {
  const { status } = await emulator.send({ method: 'GET', path: `/repos/${fullName}/git/commits/${sha}` });
  return status === 200;
}

/** The commit of a full sha or of a branch name, with or without "heads/". */
async function resolveRef(world: World, fullName: string, ref: string): Promise<string | undefined> {
  if (/^[0-9a-f]{40}$/.test(ref)) return (await hasCommit(world, fullName, ref)) ? ref : undefined;
  const branch = ref.replace(/^(?:refs\/)?heads\//, '');
  const answer = await world.emulator.send({ method: 'GET', path: `/repos/${fullName}/git/ref/heads/${branch}` });
  return answer.status === 200 ? Ref.parse(answer.body).object.sha : undefined;
}
