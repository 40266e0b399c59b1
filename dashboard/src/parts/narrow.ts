import { useEffect, useState } from 'preact/hooks';

/** As in the style sheet: less wide is a phone. */
const narrow = matchMedia('(max-width: 46rem)');

/** Whether the window is as narrow as a phone, also once it is turned. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const look = (): void => setNarrow(narrow.matches);
    narrow.addEventListener('change', look);
    return () => narrow.removeEventListener('change', look);
  }, []);
  return isNarrow;
}
