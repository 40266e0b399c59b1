/** Tags that are offered before anybody has used one; any other text is a tag as well. */
export const seededTags = ['normal', 'red-team', 'edge-case'] as const;
