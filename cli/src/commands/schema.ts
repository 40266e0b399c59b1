import { type Command, done } from '../arguments/command.ts';
import { exitCodes } from '../exit-code.ts';

export const schema: Command = {
  name: 'schema',
  summary: 'Print the JSON Schema of a file kind, for editors',
  synopsis: '',
  optionHelp: [],
  options: {},
  run: async () => done(exitCodes.fine),
};
