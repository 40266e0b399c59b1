import { effectiveSettings } from '../../settings/effective-setting.ts';
import { readSettings } from '../../settings/stored-settings.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { SettingType } from '../objects/setting.ts';

builder.queryField('settings', (t) =>
  t.field({
    type: [SettingType],
    authScopes: { readAll: true },
    description:
      'Every setting with the value that counts: the stored one, else that of the environment, else the default.',
    resolve: async (_root, _args, context) => {
      const { database, settingVariables: variables } = context.ports;
      return effectiveSettings({ stored: await readSettings(database, callerOf(context)), variables });
    },
  }),
);
