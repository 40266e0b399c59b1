import {
  ChangePersonDocument,
  CreatePersonDocument,
  CreateServiceDocument,
  CreateTenantDocument,
  EnrollRepositoryDocument,
  ListAuditDocument,
  ListPeopleDocument,
  ListRepositoriesDocument,
  ListRunnersDocument,
  ListSettingsDocument,
  type MadePersonFragment,
  type RepositoryFieldsFragment,
  UpdateRepositoryDocument,
  UpdateSettingDocument,
  ViewerDocument,
} from '@proofmark/client/documents';
import { constantOf, wordOf } from '@proofmark/client/words';
import { PinnedClaim, Role, Scope } from '@proofmark/contracts/words';
import { z } from 'zod';
import { wordOption } from '../arguments/parse-arguments.ts';
import {
  askOnce,
  deedOf,
  findOne,
  listVerb,
  nounCommand,
  type Row,
  shownWord,
  type VerbAnswer,
  verb,
} from '../coordinator/noun-command.ts';
import type { OpenCoordinator } from '../coordinator/open-coordinator.ts';

/*
 * What an admin of a tenant looks after: who may act in it, what it has set, its repositories and runners, and who did what.
 */

const text = z.string().min(1, 'must not be empty');
const role = wordOption(Role.options);
const roleMeaning = `what they may be: ${Role.options.join(', ')}`;

interface Change {
  word: string;
  role?: Role;
  isDisabled?: boolean;
}

async function changePerson({ patient }: OpenCoordinator, change: Change): Promise<VerbAnswer> {
  const found = await findOne({
    ...{ word: change.word, what: 'person or service' },
    read: async (cut) => {
      const sent = await patient.ask(ListPeopleDocument, cut);
      return sent.ok ? { ok: true, answer: sent.answer.people } : sent;
    },
    nameOf: ({ login }) => login,
  });
  if (!found.ok) return found;
  const asked = { id: found.id, role: change.role && constantOf(change.role), isDisabled: change.isDisabled };
  return deedOf(
    await patient.ask(ChangePersonDocument, asked),
    ({ changePerson: changed }) => changed,
    ({ person: { id, login, role: now, disabledAt } }) => ({
      did: disabledAt === null ? `${login} is ${shownWord(now)}.` : `Nothing of ${login} opens anything any more.`,
      answer: { id, login, role: wordOf(Role.options, now), disabled_at: disabledAt },
    }),
  );
}

export const people = nounCommand({
  name: 'people',
  verbs: {
    list: listVerb({
      does: 'list the people and services of the tenant',
      document: ListPeopleDocument,
      page: ({ people: all }) => all,
      row: ({ login, displayName, kind, role: theirs, disabledAt, id }) => ({
        ...{ login, name: displayName, kind: shownWord(kind), role: wordOf(Role.options, theirs) },
        ...{ disabled_at: disabledAt, id },
      }),
    }),
    create: verb({
      takes: ['LOGIN'],
      does: 'make a person, or with --service a program; `tokens create --for` makes a token for them',
      options: {
        role: ['ROLE', `${roleMeaning}; writer unless set`, role.optional()],
        name: ['TEXT', 'how they are called', text.optional()],
        service: ['', 'it is a program with an identity of its own', z.boolean().default(false)],
      },
      run: async ({ words: [login = ''], options, coordinator: { patient } }) => {
        const input = { login, displayName: options.name, role: options.role && constantOf(options.role) };
        const tell = ({ person: { id, role: theirs } }: MadePersonFragment) => ({
          did: `${login} is ${shownWord(theirs)} of this tenant now.`,
          answer: { id, login, role: wordOf(Role.options, theirs) },
        });
        return options.service
          ? deedOf(await patient.ask(CreateServiceDocument, { input }), ({ createService: made }) => made, tell)
          : deedOf(await patient.ask(CreatePersonDocument, { input }), ({ createPerson: made }) => made, tell);
      },
    }),
    change: verb({
      takes: ['LOGIN'],
      does: 'give somebody another role, from their next request on',
      options: { role: ['ROLE', roleMeaning, role] },
      run: async ({ words: [word = ''], options, coordinator }) =>
        await changePerson(coordinator, { word, role: options.role }),
    }),
    disable: verb({
      takes: ['LOGIN'],
      does: 'let nothing of theirs open anything: no token, no session',
      run: async ({ words: [word = ''], coordinator }) => await changePerson(coordinator, { word, isDisabled: true }),
    }),
    enable: verb({
      takes: ['LOGIN'],
      does: 'let them act again',
      run: async ({ words: [word = ''], coordinator }) => await changePerson(coordinator, { word, isDisabled: false }),
    }),
  },
});

export const tenants = nounCommand({
  name: 'tenants',
  verbs: {
    show: verb({
      does: 'show whose tenant the token is for, whom it acts for, and what it may do',
      run: async ({ coordinator: { patient } }) => {
        const sent = await patient.ask(ViewerDocument, {});
        if (!sent.ok) return sent;
        const { tenant, login, kind, scopes: constants } = sent.answer.viewer;
        const scopes = constants.map((scope) => wordOf(Scope.options, scope));
        return { ok: true, told: { things: [{ tenant, login, kind, scopes }], hasMore: false } };
      },
    }),
    create: verb({
      takes: ['NAME'],
      does: "make a tenant, with a token of an admin that is shown this once; for an admin of the operator's own tenant",
      run: async ({ words: [name = ''], coordinator }) =>
        deedOf(
          await askOnce(coordinator, {
            ...{ document: CreateTenantDocument, variables: { name } },
            cure: 'a second try says so, and its token is lost then. Make a tenant of another name.',
          }),
          ({ createTenant }) => createTenant,
          ({ tenant, tenantId: id, token }) => ({
            ...{ did: `Tenant ${tenant} is made (${id}), and a token of its admin.`, secret: token },
            answer: { tenant, id, token },
          }),
        ),
    }),
  },
});

async function store({ patient }: OpenCoordinator, key: string, value: string | null): Promise<VerbAnswer> {
  return deedOf(
    await patient.ask(UpdateSettingDocument, { input: { key, value } }),
    ({ updateSetting }) => updateSetting,
    ({ setting }) => ({
      did: `${setting.key} is ${setting.value}${value === null ? `, by ${shownWord(setting.source)}` : ''}.`,
      answer: { key: setting.key, value: setting.value, source: shownWord(setting.source) },
    }),
  );
}

export const settings = nounCommand({
  name: 'settings',
  verbs: {
    list: verb({
      does: 'list every setting of the tenant with the value that counts',
      run: async ({ coordinator: { patient } }) => {
        const sent = await patient.ask(ListSettingsDocument, {});
        if (!sent.ok) return sent;
        const things = sent.answer.settings.map(
          ({ key, value, source, warning, description }): Row => ({
            ...{ key, value, source: shownWord(source), warning, description },
          }),
        );
        return { ok: true, told: { things, hasMore: false } };
      },
    }),
    set: verb({
      takes: ['KEY', 'VALUE'],
      does: 'store a setting; it counts from now on',
      run: async ({ words: [key = '', value = ''], coordinator }) => await store(coordinator, key, value),
    }),
    reset: verb({
      takes: ['KEY'],
      does: 'forget what is stored: the environment of the coordinator or the default counts again',
      run: async ({ words: [key = ''], coordinator }) => await store(coordinator, key, null),
    }),
  },
});

const repositoryRow = ({ id, host, fullName, claimPins, ...rest }: RepositoryFieldsFragment): Row => ({
  ...{ host, repository: fullName, default_branch: rest.defaultBranch, baseline_branches: rest.baselineBranches },
  ...{ pins: claimPins.map(({ claim, value }) => `${shownWord(claim)}=${value}`), id },
});

/** `environment=production` */
const pin = z.string().transform((typed, context) => {
  const at = typed.indexOf('=');
  const claim = PinnedClaim.safeParse(typed.slice(0, Math.max(at, 0)));
  if (claim.success && at < typed.length - 1) return { claim: constantOf(claim.data), value: typed.slice(at + 1) };
  context.addIssue(`must be CLAIM=VALUE, and the claim one of ${PinnedClaim.options.join(', ')}`);
  return z.NEVER;
});

const branches = {
  'default-branch': ['BRANCH', 'whose runs others are compared with', text.optional()],
  'baseline-branch': ['BRANCH…', 'a further branch whose runs others are compared with', z.array(text).optional()],
} as const;

export const repositories = nounCommand({
  name: 'repositories',
  verbs: {
    list: listVerb({
      does: 'list the repositories of the tenant whose jobs may start runs',
      document: ListRepositoriesDocument,
      page: ({ repositories: all }) => all,
      row: repositoryRow,
    }),
    enroll: verb({
      takes: ['REPOSITORY'],
      does: 'let the jobs of a repository in, as OWNER/NAME; again, to name its branches or its new owner',
      options: {
        'repository-id': ['N', 'its number on the forge: GITHUB_REPOSITORY_ID of its jobs', text],
        'owner-id': ['N', 'the number of its owner: GITHUB_REPOSITORY_OWNER_ID', text],
        host: ['HOST', 'the forge; github.com unless set', text.default('github.com')],
        proof: [
          'TOKEN',
          'OIDC token of one of its jobs for this coordinator, which proves that it is yours; it works once',
          text.optional(),
        ],
        ...branches,
      },
      run: async ({ words: [fullName = ''], options, coordinator }) => {
        const { host, proof, 'repository-id': repositoryId, 'owner-id': ownerId } = options;
        const { 'default-branch': defaultBranch, 'baseline-branch': baselineBranches } = options;
        const input = { fullName, host, repositoryId, ownerId, proof, defaultBranch, baselineBranches };
        return deedOf(
          await askOnce(coordinator, {
            ...{ document: EnrollRepositoryDocument, variables: { input } },
            cure: '`proofmark repositories list` shows it, and then no second proof is needed.',
          }),
          ({ enrollRepository }) => enrollRepository,
          ({ repository }) => ({ did: `The jobs of ${fullName} are let in.`, answer: repositoryRow(repository) }),
        );
      },
    }),
    change: verb({
      takes: ['REPOSITORY'],
      does: 'say which branches of a repository count and which of its jobs are let in; what is not typed stays',
      options: {
        pin: [
          'CLAIM=VALUE…',
          'what the OIDC token of a job has to say, * at its end for anything',
          z.array(pin).optional(),
        ],
        'no-pins': ['', 'let every job of the repository in', z.boolean().default(false)],
        ...branches,
      },
      run: async ({ words: [word = ''], options, coordinator: { patient } }) => {
        if (options['no-pins'] && options.pin !== undefined)
          return { ok: false, usage: '--no-pins lets every job in: leave out --pin, or --no-pins.' };
        const { pin: pins, 'default-branch': base, 'baseline-branch': further } = options;
        if (!options['no-pins'] && [pins, base, further].every((typed) => typed === undefined))
          return { ok: false, usage: 'Say what to change: --pin, --no-pins, --default-branch or --baseline-branch.' };
        const found = await findOne({
          ...{ word, what: 'repository' },
          read: async (cut) => {
            const sent = await patient.ask(ListRepositoriesDocument, cut);
            return sent.ok ? { ok: true, answer: sent.answer.repositories } : sent;
          },
          nameOf: ({ fullName }) => fullName,
        });
        if (!found.ok) return found;
        const input = {
          ...{ id: found.id, defaultBranch: base, baselineBranches: further },
          claimPins: options['no-pins'] ? [] : pins,
        };
        return deedOf(
          await patient.ask(UpdateRepositoryDocument, { input }),
          ({ updateRepository }) => updateRepository,
          ({ repository }) => ({
            did: `${repository.fullName} is changed: it counts from the next job on.`,
            answer: repositoryRow(repository),
          }),
        );
      },
    }),
  },
});

export const runners = nounCommand({
  name: 'runners',
  verbs: {
    list: verb({
      does: 'list the runners that are connected now',
      run: async ({ coordinator: { patient } }) => {
        const sent = await patient.ask(ListRunnersDocument, {});
        if (!sent.ok) return sent;
        const things = sent.answer.runners.map(
          ({ id, pools, version, slots, heldTestRuns, since, runIds }): Row => ({
            ...{ runner: id, pools, slots, test_runs: heldTestRuns, version, since, runs: runIds },
          }),
        );
        return { ok: true, told: { things, hasMore: false } };
      },
    }),
  },
});

export const audit = nounCommand({
  name: 'audit',
  verbs: {
    list: listVerb({
      does: 'list who changed what, newest first',
      options: {
        login: ['LOGIN', 'only what this person or service did', text.optional()],
        action: ['ACTION', 'only this, such as deleted', text.optional()],
        subject: ['SUBJECT', 'only changes of this kind of thing, such as token', text.optional()],
      },
      document: ListAuditDocument,
      asks: (filter) => ({ filter }),
      page: ({ audit: all }) => all,
      row: ({ at, login, token, action, subject, names, total, changes }) => ({
        ...{ at, login, token, action, subject, total, names, changes },
      }),
    }),
  },
});
