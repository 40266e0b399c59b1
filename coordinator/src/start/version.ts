import manifest from '../../package.json' with { type: 'json' };

/** The version of this coordinator, as its package says. Imported, not read, so that a bundle carries it along. */
export const version = manifest.version;
