import { useAnswer } from '../../data/use-answer.ts';
import { SetUpAuditDocument } from '../../operations/documents.ts';
import { Listed } from '../../parts/listed.tsx';
import { PagesOf, useTurning } from '../../parts/paged.tsx';
import { Folded, When } from '../../parts/pieces.tsx';
import { Link, paths, place, setSearch } from '../../parts/route.tsx';
import { recordOf, valueText } from '../../parts/values.ts';

const subjects = [
  ...['principal', 'token', 'session', 'repository', 'setting', 'alert-channel', 'ai-configuration', 'test-type'],
  ...['preset', 'agent', 'suite', 'case', 'run', 'suite-run'],
];
const actions = ['created', 'changed', 'deleted', 'restored', 'started', 'cancelled', 'annotated', 'confirmed'];

/** Who changed what, the newest first. */
export function Audit() {
  const { search } = place.value;
  const [login, subject, action] = [search.get('login'), search.get('subject'), search.get('action')];
  const filter = { login, subject, action };
  const turning = useTurning(JSON.stringify(filter));
  const answered = useAnswer(SetUpAuditDocument, { filter, after: turning.after });
  return (
    <>
      <h2>Audit</h2>
      <form class="filters" role="search" aria-label="Filter the changes" onSubmit={(event) => event.preventDefault()}>
        <label>
          Login
          <input value={login ?? ''} onChange={({ currentTarget }) => setSearch({ login: currentTarget.value })} />
        </label>
        <Choice label="What was changed" name="subject" value={subject} options={subjects} />
        <Choice label="What was done" name="action" value={action} options={actions} />
      </form>
      <Listed
        what="changes"
        answered={answered}
        rowsOf={(answer) => answer.audit.edges.map(({ node }) => node)}
        keyOf={({ id }) => id}
        columns={[
          ['When', ({ at }) => <When time={at} />],
          [
            'Who',
            ({ login: name, token }) => (
              <>
                {name ?? <span class="quiet">the coordinator, or its operator</span>}
                {token !== null && token !== name && <div class="quiet small roomy">token: {token}</div>}
              </>
            ),
          ],
          [
            'Did',
            ({ action: did, subject: of, names, total }) => (
              <>
                {deedOf(did, of)}{' '}
                {of !== 'session' &&
                  names.map((name, at) => (
                    <span key={name}>
                      {at > 0 && ', '}
                      {of === 'run' ? <Link to={paths.run(name)}>{name.slice(0, 8)}</Link> : <strong>{name}</strong>}
                    </span>
                  ))}
                {total > names.length && <span class="quiet"> and {total - names.length} more</span>}
              </>
            ),
          ],
          ['From → to', ({ changes }) => <ColumnsChanged changes={changes} />],
        ]}
        empty="Nobody has changed anything that fits."
      />
      <PagesOf turning={turning} pageInfo={answered.answer?.audit.pageInfo} first="Newest" next="Older" />
    </>
  );
}

/** What somebody did, in words: a session is made by signing in. */
function deedOf(action: string, subject: string): string {
  if (subject === 'session' && action === 'created') return 'signed in';
  if (subject === 'session' && action === 'deleted') return 'signed out';
  return `${action} ${wordOf(subject)}`;
}

const wordOf = (subject: string): string => (subject === 'principal' ? 'person' : subject.replace('-', ' '));

interface ChoiceProps {
  label: string;
  name: string;
  value: string | null;
  options: readonly string[];
}

function Choice({ label, name, value, options }: ChoiceProps) {
  return (
    <label>
      {label}
      <select value={value ?? ''} onChange={({ currentTarget }) => setSearch({ [name]: currentTarget.value })}>
        <option value="">anything</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {wordOf(option)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Each column with its value before and after; long ones wait for a click. */
function ColumnsChanged({ changes }: { changes: unknown }) {
  const columns = Object.entries(recordOf(changes));
  if (columns.length === 0) return null;
  const shown = (
    <>
      {columns.map(([name, sides]) => {
        const [before, after] = Array.isArray(sides) ? sides : [];
        return (
          <div class="small value" key={name}>
            <code>{name}</code> {shortly(before)} → {shortly(after)}
          </div>
        );
      })}
    </>
  );
  if (columns.length <= 3) return shown;
  return <Folded summary={`${columns.length} values`}>{() => shown}</Folded>;
}

const shortly = (value: unknown): string => {
  const text = valueText(value);
  return text === '' ? 'nothing' : text;
};
