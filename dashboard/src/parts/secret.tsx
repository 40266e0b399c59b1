import { useRef } from 'preact/hooks';
import { CopyButton } from './pieces.tsx';

/** The one text that may look like a key: a field holds it, whose value is not text of the page. It is shown this once. */
export function Secret({ secret, label }: { secret: string; label: string }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <p class="buttons">
      <input
        ref={field}
        class="secret"
        readOnly
        aria-label={label}
        value={secret}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <CopyButton key={secret} text={secret} label="it" select={() => field.current?.select()} />
    </p>
  );
}
