/** A command of this program as its reader can type it in the folder of the installation, which the image has too. */
export const programCommand = (words: string): string => `node dist/belltower.js ${words}`
