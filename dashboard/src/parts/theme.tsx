import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const key = 'proofmark-theme';
const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const names: Readonly<Record<Theme, string>> = { system: 'system colours', light: 'light', dark: 'dark' };

const theme = signal<Theme>(themes.find((one) => one === localStorage.getItem(key)) ?? 'system');

/** Light, dark, or as the system has it; this browser remembers. */
export function ThemeChoice() {
  const { value } = theme;
  useEffect(() => {
    document.documentElement.dataset.theme = value;
    localStorage.setItem(key, value);
  }, [value]);
  return (
    <label class="theme">
      <span class="unseen">Colours</span>
      <select
        value={value}
        onChange={({ currentTarget }) => {
          theme.value = themes.find((one) => one === currentTarget.value) ?? 'system';
        }}
      >
        {themes.map((one) => (
          <option key={one} value={one}>
            {names[one]}
          </option>
        ))}
      </select>
    </label>
  );
}
