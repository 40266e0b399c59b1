import { ask } from '../../data/ask.ts';
import { may } from '../../data/session.ts';
import { useAnswer } from '../../data/use-answer.ts';
import { PageUpdateSettingDocument, SetUpSettingsDocument } from '../../operations/documents.ts';
import { problemIn, useDeed, WhatCame } from '../../parts/deed.tsx';
import { Listed } from '../../parts/listed.tsx';

/** What is kept how long, and the rest that an admin may change while it runs. */
export function Settings() {
  const deed = useDeed();
  const answered = useAnswer(SetUpSettingsDocument, {});
  const store = async (key: string, value: string): Promise<void> => {
    const input = { key, value: value === '' ? null : value };
    await deed.act(
      async () => problemIn(await ask(PageUpdateSettingDocument, { input }), (told) => told.updateSetting),
      `${key} is ${value === '' ? 'what it is by default' : value} from now on.`,
    );
    await answered.reload();
  };
  return (
    <>
      <h2>Settings</h2>
      <WhatCame of={deed} />
      <Listed
        what="settings"
        answered={answered}
        rowsOf={({ settings }) => settings}
        keyOf={({ key }) => key}
        columns={[
          [
            'Setting',
            ({ key, description }) => (
              <>
                <code>{key}</code>
                <div class="quiet small">{description}</div>
              </>
            ),
          ],
          [
            'Value',
            ({ key, value, warning }) => (
              <>
                {may('admin') ? (
                  <input
                    aria-label={key}
                    value={value}
                    onChange={({ currentTarget }) => void store(key, currentTarget.value)}
                  />
                ) : (
                  value
                )}
                {warning !== null && <div class="warn small">{warning}</div>}
              </>
            ),
          ],
          ['Comes from', ({ source }) => source.toLowerCase()],
        ]}
        empty="This coordinator has none."
      />
    </>
  );
}
