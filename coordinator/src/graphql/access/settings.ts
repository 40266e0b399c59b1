import { z } from 'zod';
import { type EffectiveSetting, effectiveSetting, effectiveSettings } from '../../settings/effective-setting.ts';
import { SettingKey } from '../../settings/known-settings.ts';
import { readSettings, storeSetting } from '../../settings/stored-settings.ts';
import { builder } from '../builder.ts';
import { callerOf } from '../context.ts';
import { asMember, InvalidInputType, invalidInput, memberOf } from '../user-errors.ts';
import { enumOf } from '../words.ts';

const SourceType = enumOf('SettingSource', 'Where the value of a setting comes from.', {
  stored: 'It was stored with updateSetting.',
  environment: 'From a variable of the environment of the coordinator.',
  default: 'Nobody has said anything.',
});

const SettingType = builder.objectRef<EffectiveSetting>('Setting').implement({
  description: 'Something that a tenant can set, with the value that counts.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Name of the setting, such as test_suites.retention_days.' }),
    value: t.exposeString('value', { description: 'The value that counts.' }),
    source: t.field({ type: SourceType, description: 'Where it comes from.', resolve: ({ source }) => source }),
    description: t.exposeString('description', { description: 'What it is for.' }),
    warning: t.exposeString('warning', {
      nullable: true,
      description: 'What was passed over because it is no value of this setting.',
    }),
  }),
});

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

const Input = builder.inputType('UpdateSettingInput', {
  description: 'A setting and its new value.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Name of the setting, such as test_suites.retention_days.' }),
    value: t.string({ description: 'The value to store. Absent or null: nothing is stored any more.' }),
  }),
});

const Parsed = z.strictObject({ key: SettingKey, value: z.string().nullable().default(null) });

const UpdatedType = builder.objectRef<{ setting: EffectiveSetting }>('UpdateSettingSuccess').implement({
  description: 'The setting is stored and counts from now on, in every replica.',
  fields: (t) => ({
    setting: t.field({
      type: SettingType,
      description: 'The setting as it counts now.',
      resolve: ({ setting }) => setting,
    }),
  }),
});

const ResultType = builder.unionType('UpdateSettingResult', {
  description: 'What came of it.',
  types: [UpdatedType, InvalidInputType],
  resolveType: memberOf,
});

builder.mutationField('updateSetting', (t) =>
  t.field({
    type: ResultType,
    authScopes: { admin: true },
    args: { input: t.arg({ type: Input, required: true, description: 'What to store, or to forget.' }) },
    description: 'Stores a setting of the tenant, or forgets it. Needs the scope admin.',
    resolve: async (_root, { input }, context) => {
      const parsed = Parsed.safeParse(input);
      if (!parsed.success) return invalidInput(parsed.error, input);
      const { database, settingVariables: variables } = context.ports;
      const caller = callerOf(context);
      const stored = await storeSetting(database, caller, parsed.data);
      if (!stored.ok) {
        const problems = [{ path: 'value', code: 'invalid_value', message: stored.message }];
        return asMember('InvalidInput', { code: 'INVALID_INPUT', message: `value: ${stored.message}`, problems });
      }
      const setting = effectiveSetting(parsed.data.key, { stored: await readSettings(database, caller), variables });
      return asMember('UpdateSettingSuccess', { setting });
    },
  }),
);
