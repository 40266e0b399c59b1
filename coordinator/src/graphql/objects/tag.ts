import { builder } from '../builder.ts';
import type { TagView } from '../read/list-tags.ts';

const TagType = builder.objectRef<TagView>('Tag').implement({
  description: 'A word that cases are selected and grouped by.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The word.' }),
    isPreseeded: t.exposeBoolean('isPreseeded', { description: 'Whether it is offered before any case has it.' }),
    testCases: t.exposeInt('testCases', { description: 'How many cases have it.' }),
  }),
});

export const TagConnectionType = builder.connectionObject(
  { type: TagType, name: 'TagConnection', description: 'A page of tags.' },
  { name: 'TagEdge', description: 'A row of a page of tags.' },
);
