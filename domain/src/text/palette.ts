/**
 * The colours of every page that people look at, light and dark. Each keeps a contrast of at least 4.5 to 1 on its ground, in
 * both schemes; green and red differ in lightness too, and no state is told by colour alone.
 */
const palette = {
  ground: ['#fbfbfa', '#121417'],
  panel: ['#ffffff', '#1a1d21'],
  inset: ['#f4f4f2', '#22262b'],
  line: ['#dededa', '#343a41'],
  text: ['#1d1f23', '#e8e9eb'],
  soft: ['#5b606a', '#a3a9b3'],
  link: ['#1f54b5', '#8ab4f8'],
  passed: ['#1a7440', '#5bc98a'],
  failed: ['#b3261e', '#ff8a80'],
  error: ['#8a5a00', '#f0b94d'],
  skipped: ['#5b606a', '#a3a9b3'],
  track: ['#e6e6e2', '#343a41'],
  'passed-ground': ['#e5f4ea', '#14301f'],
  'failed-ground': ['#fdebe9', '#3b1b1a'],
  'error-ground': ['#fbf1dc', '#352a12'],
  'skipped-ground': ['#eeeeec', '#272b30'],
} as const satisfies Record<string, readonly [light: string, dark: string]>;

const declarations = (scheme: 0 | 1): string =>
  Object.entries(palette)
    .map(([name, colors]) => `--${name}: ${colors[scheme]};`)
    .join(' ');

/** As declarations of a style sheet, for pages that follow the system. */
export const lightColors: string = declarations(0);
export const darkColors: string = declarations(1);
