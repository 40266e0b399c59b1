import { join, resolve } from 'node:path';
import { definitionSchemas } from '@proofmark/contracts/definition-schemas';
import { z } from 'zod';
import { type Command, done, wrongUsage } from '../arguments/command.ts';
import { exitCodes } from '../arguments/exit-code.ts';
import { parseOptions } from '../arguments/parse-arguments.ts';
import { writeOutput } from '../output/render-reports.ts';

const Options = z.object({
  output: z.string().min(1, 'must not be empty').optional(),
  json: z.boolean().default(false),
});

/** `suite` for `suite.schema.json`. */
const kindOf = (name: string): string => name.replace('.schema.json', '');
export const schemaText = (schema: object): string => `${JSON.stringify(schema, null, 2)}\n`;

export const schemaCommand: Command = {
  synopsis: 'suite|agent|case|project|test-type [--output DIR]',
  optionHelp: [
    ['--output DIR', 'write the schema of this kind, or of all kinds, to a folder'],
    ['--json', 'the schema is JSON anyway'],
  ],
  options: { output: { type: 'string' }, json: { type: 'boolean' } },
  run: async ({ values, positionals }, { cwd, terminal }) => {
    const options = parseOptions(Options, values);
    if (!options.ok) return wrongUsage(options.usage);
    const { output } = options.options;
    const [kind, ...others] = positionals;
    const schemas = Object.entries(definitionSchemas());
    const chosen = schemas.filter(([name]) => kind === undefined || kindOf(name) === kind);
    if (chosen.length === 0 || others.length > 0 || (kind === undefined && output === undefined)) {
      return wrongUsage(`Name one kind of file: ${schemas.map(([name]) => kindOf(name)).join(', ')}.`);
    }
    for (const [name, document] of chosen) {
      if (output === undefined) {
        terminal.write(schemaText(document));
        continue;
      }
      const problem = await writeOutput(resolve(cwd, join(output, name)), schemaText(document));
      if (problem !== undefined) return wrongUsage(problem);
      terminal.writeError(`Written: ${join(output, name)}\n`);
    }
    return done(exitCodes.fine);
  },
};
