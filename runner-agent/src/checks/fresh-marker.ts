/** 128 random bits in hex, drawn again for as long as they occur in the data. */
export function freshMarker(data: readonly string[], random: () => number): string {
  for (;;) {
    const marker = Array.from({ length: 4 }, () =>
      Math.floor(random() * 2 ** 32)
        .toString(16)
        .padStart(8, '0'),
    ).join('');
    if (!data.some((text) => text.includes(marker))) return marker;
  }
}
