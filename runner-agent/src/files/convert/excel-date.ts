/** Number formats of the standard that show a date or a time. */
const builtInDates: readonly (readonly [number, number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];
const dayMs = 86_400_000;

/** Whether a number format shows a date or a time: its code has one of their letters outside of quotes and brackets. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined) return builtInDates.some(([first, last]) => id >= first && id <= last);
  const letters = code.replaceAll(/"[^"]*"|\\.|\[(?![hms]+\])[^\]]*\]|_.|\*./gi, '');
  return /[dmyhs]/i.test(letters) && !/^general$/i.test(letters.trim());
}

/** The day and time that Excel stores as a number of days, as ISO 8601; a number below one day is a time alone. */
export function excelDate(serial: number, { is1904 }: { is1904: boolean }): string | undefined {
  if (!(serial >= 0 && serial < 2_958_466)) return undefined;
  const wholeMs = Math.round(serial * 86_400) * 1_000;
  if (serial < 1) return new Date(wholeMs).toISOString().slice(11, 19);
  // Excel believes that 1900 was a leap year, so days before its 60th lie one further.
  const epochMs = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < 60 ? 31 : 30);
  const text = new Date(epochMs + wholeMs).toISOString();
  return wholeMs % dayMs === 0 ? text.slice(0, 10) : text.slice(0, 19);
}
