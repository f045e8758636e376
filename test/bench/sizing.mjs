// The needs of an installation of a size, computed from the measured costs of docs/figures.md. Measures nothing.
// Usage: node test/bench/sizing.mjs --monitors 1000000 [--interval 60] [--regions 1] [--keep-checks-days 30] [--results-hours 24]
//   [--json], or --references for the tables of docs/reference-architectures.md
import { parseArgs } from "node:util"
import { references, sizeOf } from "./support/sizes.mjs"
import { rowsOf, tableOf } from "./support/sizeTable.mjs"

/** Each number: its field, what it is if it is not given, and its bounds. */
const numbers = {
  monitors: { field: "monitors", most: 100_000_000 },
  interval: { field: "intervalSec", byDefault: 60, most: 86_400 },
  regions: { field: "regions", byDefault: 1, most: 100 },
  "keep-checks-days": { field: "keepChecksDays", byDefault: 30, most: 366 },
  "results-hours": { field: "resultsHours", byDefault: 24, most: 8760 }
}

const given = () => {
  const texts = Object.keys(numbers).map((name) => [name, { type: "string" }])
  const flags = { json: { type: "boolean" }, references: { type: "boolean" } }
  const { values } = parseArgs({ options: { ...Object.fromEntries(texts), ...flags } })
  const load = Object.entries(numbers).map(([name, { byDefault, field, most }]) => {
    const value = values[name] === undefined ? byDefault : Number(values[name])
    const isMissing = value === undefined && values.references === true
    if (!isMissing && !(Number.isInteger(value) && value >= 1 && value <= most)) {
      throw new Error(`--${name} must be a whole number from 1 to ${most}, such as --${name} ${byDefault ?? 10_000}`)
    }
    return [field, value]
  })
  return { load: Object.fromEntries(load), isJson: values.json, isOfReferences: values.references }
}

const print = ({ isJson, isOfReferences, load }) => {
  const sizes = isOfReferences ? references.map((one) => sizeOf(one)) : [sizeOf(load)]
  if (isJson) return console.log(JSON.stringify(isOfReferences ? sizes : sizes[0], null, 2))
  if (isOfReferences) return console.log(sizes.map(tableOf).join("\n\n"))
  const rows = rowsOf(sizes[0])
  const width = Math.max(...rows.map(([what]) => what.length))
  for (const [what, much] of rows) console.log(`${what.padEnd(width)}  ${much.replaceAll(/[*`]/g, "")}`)
}

try {
  print(given())
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
