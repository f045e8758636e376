/** `1 component`, `3 components`. */
export const counted = (count: number, noun: string, more = `${noun}s`): string => `${count} ${count === 1 ? noun : more}`
