/** A test type with a variable of each source. */
export const wordsType = (name: string) => ({
  name,
  description: 'Tests that say words',
  variablesSchema: {
    schemaVersion: '1.0',
    variables: [
      {
        name: 'Word',
        displayName: 'Word',
        dataType: 'string',
        valueSource: 'freeform',
        required: false,
        defaultValue: 'hello',
      },
      {
        name: 'Size',
        displayName: 'Size',
        dataType: 'number',
        valueSource: 'static',
        possibleValues: [{ value: 1, label: 'Small' }, { value: 2 }],
        required: false,
      },
      { name: 'Model', displayName: 'Model', dataType: 'string', valueSource: 'entity', required: false },
    ],
  },
});
