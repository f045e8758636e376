/** A number with its noun: `1 component`, `3 components`. */
export const counted = (number: number, noun: string, more = `${noun}s`): string => `${number} ${number === 1 ? noun : more}`
