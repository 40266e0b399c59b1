import { type OpenPorts, openPorts as openPortsWith, type PortsOptions } from '@proofmark/runner-agent/open-ports';
import { programEnvironment } from './environment.ts';

export type { OpenPorts, RunPorts } from '@proofmark/runner-agent/open-ports';

/** The ports of this process; its programs are given a part of its own environment. */
export const openPorts = (options: Omit<PortsOptions, 'environment'>): OpenPorts =>
  openPortsWith({ ...options, environment: programEnvironment() });
