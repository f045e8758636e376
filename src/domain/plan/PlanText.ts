/** Formats a plan for a terminal: the things created, changed and deleted, field by field. */
import type { Plan, PlannedChange } from "../../../schema/plan/Plan.ts"

type Colour = "green" | "yellow" | "red" | "dim"

const codes: Readonly<Record<Colour, number>> = { green: 32, yellow: 33, red: 31, dim: 2 }

const marks = {
  create: ["+", "green"],
  update: ["~", "yellow"],
  delete: ["-", "red"]
} as const satisfies Record<PlannedChange["action"], readonly [string, Colour]>

/** A server may answer with anything: control characters would move the terminal's cursor. */
const plain = (text: string): string => text.replace(/\p{Cc}/gu, " ")

const valueText = (value: unknown): string => plain(value === undefined ? "(none)" : JSON.stringify(value) ?? "(none)")

/** The lines of a plan; `colours` adds the escape codes of terminals. */
export const planLines = (plan: Plan, colours: boolean): ReadonlyArray<string> => {
  const paint = (colour: Colour, text: string) => (colours ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text)
  const ofChange = ({ action, fields, key, kind, name }: PlannedChange): ReadonlyArray<string> => {
    const [mark, colour] = marks[action]
    const head = paint(colour, `${mark} ${kind} ${plain(key)}`) + paint("dim", `  ${plain(name)}`)
    const lines = fields.map(({ from, path, to }) =>
      action === "create"
        ? `    ${plain(path)}: ${paint("green", valueText(to))}`
        : `    ${plain(path)}: ${paint("red", valueText(from))} -> ${paint("green", valueText(to))}`
    )
    return [head, ...lines]
  }
  return [...plan.changes.flatMap(ofChange), ...plan.notes.map((note) => paint("dim", plain(note))), countsLine(plan)]
}

const countsLine = ({ create, delete: deleted, unchanged, update }: Plan): string =>
  `${create} to create, ${update} to change, ${deleted} to delete, ${unchanged} unchanged`
