import manifest from '../../package.json' with { type: 'json' };

/** The version of this Action, as its package says; it becomes part of the bundle. */
export const { version } = manifest;
