import { useTitle } from '../parts/pieces.tsx';

export function Trends({ suiteId }: { suiteId: string | null }) {
  useTitle('Trends');
  return <h1>Trends {suiteId}</h1>;
}
