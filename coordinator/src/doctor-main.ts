import { visibleText } from '@proofmark/domain/visible-text';
import { coordinatorSource } from './environment.ts';
import { examineCoordinator } from './examine-coordinator.ts';

const examined = await examineCoordinator(coordinatorSource());
if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify({ examined })}\n`);
else {
  for (const { what, found } of examined) {
    if (found.length === 0) process.stdout.write(`ok     ${what}\n`);
    for (const { level, message } of found)
      process.stdout.write(`${level.padEnd(6)} ${what}: ${visibleText(message)}\n`);
  }
}
process.exitCode = examined.some(({ found }) => found.some(({ level }) => level === 'fault')) ? 1 : 0;
