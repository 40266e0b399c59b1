/** 128 random bits in hex, drawn again for as long as they occur in the data. Ends with any dice: each draw is shifted by its number. */
export function freshMarker(data: readonly string[], random: () => number): string {
  for (let draw = 0; ; draw += 1) {
    const words = Array.from({ length: 4 }, () => (Math.floor(random() * 2 ** 32) + draw) >>> 0);
    const marker = words.map((word) => word.toString(16).padStart(8, '0')).join('');
    if (!data.some((text) => text.includes(marker))) return marker;
  }
}
