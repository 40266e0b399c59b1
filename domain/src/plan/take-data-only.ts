import type { LoadedDefinitions, LoadedSuite } from '@proofmark/contracts/loaded';
import { findBaseline } from './base-definitions.ts';

/**
 * The definitions of a commit that somebody without rights wrote, as far as they are data: cases, instructions, what tools
 * are said to be, canned answers. What is called and what judges stays as it is on the base, and nothing is called for
 * real. A suite that the base does not have is left out.
 */
export function takeDataOnly(head: LoadedDefinitions, base: LoadedDefinitions): LoadedDefinitions {
  return {
    project: base.project,
    suites: head.suites.flatMap((suite) => {
      const known = findBaseline(suite, base);
      return known === undefined ? [] : [dataOf(suite, known)];
    }),
  };
}

function dataOf(head: LoadedSuite, base: LoadedSuite): LoadedSuite {
  const { name, description, cases, mocks, mock_settings } = head.suite;
  const { calibration: _ofHead, ...rest } = head;
  return {
    ...rest,
    ...(base.calibration === undefined ? {} : { calibration: base.calibration }),
    testType: base.testType,
    suite: {
      ...base.suite,
      ...{ name, description, mocks },
      cases: cases.map((one) => casesData(one, base.suite.cases)),
      // Under another name it would be stored as a suite of its own, and nobody has agreed to run that every hour.
      schedule_type: 'manual',
      schedule_cron: null,
      mock_settings: { ...mock_settings, mode: 'mock' },
    },
    agent: {
      ...base.agent,
      description: head.agent.description,
      instructions: head.agent.instructions,
      tools: head.agent.tools,
    },
  };
}

type Case = LoadedSuite['suite']['cases'][number];

/** A case without addresses that no case of the base names, and with a model only where the base has it so. */
function casesData(head: Case, ofBase: readonly Case[]): Case {
  const addresses = new Set(ofBase.flatMap(({ files }) => files.map(({ url }) => url)));
  const model = ofBase.find(({ name }) => name === head.name)?.variables?.[modelVariable];
  const { [modelVariable]: _ofHead, ...rest } = head.variables ?? {};
  const variables = model === undefined ? rest : { ...rest, [modelVariable]: model };
  return {
    ...head,
    files: head.files.filter(({ url }) => url === undefined || addresses.has(url)),
    variables: head.variables === null && model === undefined ? null : variables,
  };
}

const modelVariable = 'AIConfiguration';
