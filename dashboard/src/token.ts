const key = 'proofmark-token';

/** The API token of this tab. It lives as long as the tab and goes nowhere but into the header of our own requests. */
export const token = {
  read: (): string | null => sessionStorage.getItem(key),
  keep: (value: string): void => sessionStorage.setItem(key, value),
  forget: (): void => sessionStorage.removeItem(key),
};
