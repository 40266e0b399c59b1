import type { BridgeFile } from './bridge-files.ts';
import type { NameSecret } from './hide-secrets.ts';
import type { ReadBeside, Remarks, Source, SourcePath } from './source.ts';

/** A model as an AI configuration, with the tools that it is offered; or what is asked in its place, as a driver of an agent. */
export type ImportedProvider = Named & { name: string } & (
    | {
        kind: 'model';
        configuration: Record<string, unknown>;
        tools: Record<string, unknown>[];
        /** What it is told before everything else, whatever the prompt. */
        instructions: string;
        /** What its answers are to assertions that are programs; null: the text of the answer. */
        shape: OutputShape | null;
      }
    | { kind: 'agent'; driver: Record<string, unknown>; files: BridgeFile[]; reads: ReadValues | null }
  );

/** The values of a test that a provider reads beside the prompt. */
export interface ReadValues {
  /** Where they lie. */
  path: string;
  /** The programs that take them, and the templates that they are filled into. */
  code: string;
  templates: string[];
}

/** Answers that are no text to an assertion of promptfoo: a JSON that was asked for, or calls of tools in one of three forms. */
export type OutputShape = 'json' | 'openai-tools' | 'openai-functions' | 'google' | 'anthropic';

export interface At {
  /** Settings that the only prompt brings with it; they win. */
  overrides?: Config;
  source: Source;
  path: SourcePath;
  remarks: Remarks;
  readBeside: ReadBeside;
  nameSecret: NameSecret;
}

export interface Named {
  id: string;
  label: string | undefined;
  /** Only these, by their names; absent: all. */
  prompts?: string[];
}

export type Config = Readonly<Record<string, unknown>>;

export const refuseProvider = ({ source, path, remarks }: At, message: string): null => {
  remarks.add(source, path, message);
  return null;
};
