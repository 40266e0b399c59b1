import { useTitle } from '../parts/pieces.tsx';

export function Compare() {
  useTitle('Compare');
  return <h1>Compare</h1>;
}
