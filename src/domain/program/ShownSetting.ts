/** A setting as `belltower config` shows it. */

/** Stands for a value that nobody may see. */
export const hiddenValue = "(hidden)"

export interface ShownSetting {
  readonly name: string
  /** Null if it has no value. */
  readonly value: string | null
  /** `default`, `environment`, `file <path>` or `command <variable>`. */
  readonly source: string
}

/** The sign-in of a URL, and what follows a question mark, where services expect keys. */
const signIn = /:\/\/[^/?#\s@"]*@/g
const query = /\?[^\s"]*/g

/** A value that is no secret as a whole may be a URL that contains one. */
export const shownValue = (value: string, isSecret: boolean): string => {
  if (isSecret) return hiddenValue
  return value.includes("://") ? value.replace(signIn, `://${hiddenValue}@`).replace(query, `?${hiddenValue}`) : value
}

/** Lines in columns, with a head. */
export const settingLines = (shown: ReadonlyArray<ShownSetting>): ReadonlyArray<string> => {
  const rows = [["name", "value", "source"], ...shown.map(({ name, source, value }) => [name, value ?? "-", source])]
  const width = Math.max(...rows.map(([name = ""]) => name.length))
  const valueWidth = Math.min(44, Math.max(...rows.map(([, value = ""]) => value.length)))
  return rows.map(([name = "", value = "", source = ""]) => `${name.padEnd(width)}  ${value.padEnd(valueWidth)}  ${source}`)
}
