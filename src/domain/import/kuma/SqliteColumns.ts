/** Reads the columns of a table from the `create table` that SQLite keeps for it. */

interface Column {
  readonly name: string
  /** The value in rows that were written before the column was added. */
  readonly initial: string | number | null
}

export interface SqliteColumns {
  readonly columns: ReadonlyArray<Column>
  /** The column that is the row's number, which the row itself does not hold (https://www.sqlite.org/lang_createtable.html#rowid). */
  readonly rowid: string | null
}

/** The parts between the commas of a list that no parenthesis or quote contains. */
const partsOf = (list: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  let depth = 0
  let quote = ""
  let start = 0
  for (let at = 0; at < list.length; at++) {
    const letter = list.charAt(at)
    if (quote !== "") quote = letter === quote ? "" : quote
    else if (letter === "'" || letter === "\"" || letter === "`") quote = letter
    else if (letter === "[") quote = "]"
    else if (letter === "(") depth++
    else if (letter === ")") depth--
    else if (letter === "," && depth === 0) {
      parts.push(list.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, list.slice(start)]
}

const constraint = /^(?:constraint|primary|unique|check|foreign)\b/i

/** The literal that a column's definition names as its default; null for an expression. */
const initialOf = (definition: string): string | number | null => {
  const [, given = ""] = /\bdefault\b([\s\S]*)$/i.exec(definition) ?? []
  const [, number, word, single, double] =
    /^[\s(]*(?:(-?\d+(?:\.\d+)?)|(true|false)\b|'((?:[^']|'')*)'|"([^"]*)")/i.exec(given) ?? []
  if (number !== undefined) return Number(number)
  if (word !== undefined) return word.toLowerCase() === "true" ? 1 : 0
  return single?.replaceAll("''", "'") ?? double ?? null
}

/** A name in any of SQLite's quotes, and what follows it. */
const named = (text: string) => {
  const [whole = "", bracketed, quoted, ticked, plain] = /^\s*(?:\[([^\]]*)\]|"([^"]*)"|`([^`]*)`|([^\s"`[(),]+))/.exec(text) ??
    []
  return { name: bracketed ?? quoted ?? ticked ?? plain ?? "", rest: text.slice(whole.length) }
}

/** A key over one column can stand in the column, or behind all columns. */
const keyBehind = (parts: ReadonlyArray<string>): string | null => {
  for (const part of parts) {
    const [, list] = constraint.test(part) ? /\bprimary\s+key\s*\(([^,()]*)\)/i.exec(part) ?? [] : []
    if (list !== undefined) return named(list).name
  }
  return null
}

/** Only a key of the very type INTEGER is the row's number; its constraint may have a name. */
const isInteger = (definition: string): boolean => /^\s*integer\b/i.test(definition)

export const columnsOf = (sql: string): SqliteColumns => {
  const body = sql.slice(sql.indexOf("(") + 1, sql.lastIndexOf(")"))
  const parts = partsOf(body.replace(/--[^\n]*/g, "")).map((part) => part.trim()).filter((part) => part !== "")
  const columns = parts.filter((part) => !constraint.test(part)).map((part) => ({ ...named(part), initial: initialOf(part) }))
  const behind = keyBehind(parts)
  const key = columns.find(({ name, rest }) => isInteger(rest) && (name === behind || /\bprimary\s+key\b/i.test(rest)))
  return { columns: columns.map(({ initial, name }) => ({ name, initial })), rowid: key?.name ?? null }
}
