/** The items of a text that are separated by commas, without the spaces around them; empty ones are left out. */
export const commaList = (text: string): ReadonlyArray<string> =>
  text.split(",").map((item) => item.trim()).filter((item) => item !== "")
