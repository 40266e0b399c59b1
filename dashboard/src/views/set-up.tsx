import { useTitle } from '../parts/pieces.tsx';

export function SetUp({ section }: { section: string }) {
  useTitle('Set-up');
  return <h1>Set-up {section}</h1>;
}
