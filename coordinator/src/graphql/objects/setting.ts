import type { EffectiveSetting } from '../../settings/effective-setting.ts';
import { builder } from '../builder.ts';
import { enumOf } from '../enum-of.ts';

const SourceType = enumOf('SettingSource', 'Where the value of a setting comes from.', {
  stored: 'It was stored with updateSetting.',
  environment: 'From a variable of the environment of the coordinator.',
  default: 'Nobody has said anything.',
});

export const SettingType = builder.objectRef<EffectiveSetting>('Setting').implement({
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
