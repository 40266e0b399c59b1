import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The Chromium of this machine, or undefined; CHROMIUM names another one. */
function presentChromium(): string | undefined {
  const { CHROMIUM, PATH = '' } = process.env;
  if (CHROMIUM !== undefined) return CHROMIUM;
  const places = names.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)));
  return places.find((place) => existsSync(place) && starts(place));
}

export function findChromium(): string {
  const found = presentChromium();
  if (found === undefined)
    throw new Error('No Chromium is here: install one (apt-get install chromium) or set CHROMIUM.');
  return found;
}

function starts(place: string): boolean {
  try {
    execFileSync(place, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    // Whatever keeps it from starting, this one is of no use.
    return false;
  }
}

/** Installs Debian's Chromium where none is and we may; false where that does not work. */
export function installChromium(): boolean {
  if (presentChromium() !== undefined) return true;
  try {
    process.stderr.write('Installing Chromium, in which the page is tested (once): apt-get install chromium\n');
    execFileSync('apt-get', ['update', '-q'], { stdio: 'ignore', timeout: 120_000 });
    const how = {
      stdio: 'ignore' as const,
      timeout: 300_000,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    };
    execFileSync('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'chromium'], how);
  } catch {
    // No Debian, no right or no network: whoever asked says what is left out.
  }
  return presentChromium() !== undefined;
}
