/** Stands behind the JSON of an object that a provider gave in the place of a text; no model ends a text so. */
export const objectMark = ' \t \n';
/** As a program writes it. */
export const writtenMark = JSON.stringify(objectMark);
