/** Every ASCII punctuation mark; for `replace`, which needs no reset. */
export const asciiPunctuation = /[!-/:-@[-`{-~]/g;
