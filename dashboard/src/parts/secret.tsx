/** The one text that may look like a key: a field holds it, whose value is not text of the page. It is shown this once. */
export function Secret({ secret, label }: { secret: string; label: string }) {
  return (
    <p class="buttons">
      <input
        readOnly
        aria-label={label}
        size={50}
        value={secret}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <button type="button" onClick={() => void navigator.clipboard.writeText(secret)}>
        Copy
      </button>
    </p>
  );
}
