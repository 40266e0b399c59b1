/** Share of invocations that succeeded, 0–1; 0 without any (seed 003). */
export function successRate({ successful, failed }: { successful: number; failed: number }): number {
  const total = successful + failed;
  return total === 0 ? 0 : successful / total;
}
