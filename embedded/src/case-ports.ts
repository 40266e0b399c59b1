import { type OpenPorts, openPorts, type PortsOptions } from '@proofmark/runner-agent/open-ports';
import { programEnvironment } from './environment.ts';

export type { OpenPorts, RunPorts } from '@proofmark/runner-agent/open-ports';

/** The ports of this process; its programs are given a part of its own environment. */
export const openOwnPorts = (options: Omit<PortsOptions, 'environment'>): OpenPorts =>
  openPorts({ ...options, environment: programEnvironment() });
