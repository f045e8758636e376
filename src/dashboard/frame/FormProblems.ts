/** Says why an operation refused a form in the form's own words: the labels of its fields instead of the names of arguments. */
import { namesField } from "../../../schema/Errors.ts"
import { formPaths } from "./FormBody.ts"
import { fieldWords, plainWords } from "./ProblemWords.ts"
import { type Issue, type Refused, reworded } from "./Refused.ts"
import type { Problem, ShownField } from "./Visit.ts"

const entriesOf = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  typeof value === "object" && value !== null ? Object.entries(value) : []

const within = (value: unknown, name: string): unknown => entriesOf(value).find(([one]) => one === name)?.[1]

/** The path of some field within a branch. */
const anyWithin = (value: unknown): string | null =>
  typeof value === "string" ? value : value === undefined ? null : anyWithin(entriesOf(value)[0]?.[1])

/** The path in the form for a path in the arguments: a row may stand elsewhere, because rows that are empty are left out. */
const pathInForm = (paths: unknown, path: string): string => {
  const parts = path.split(".")
  return parts.map((part, index) => {
    const branch = parts.slice(0, index + 1).reduce(within, paths)
    return anyWithin(branch)?.split(".")[index] ?? part
  }).join(".")
}

export const inForm = (refused: Refused, fields: Iterable<readonly [string, string]>): Refused => {
  if (refused.issues.length === 0) return refused
  const paths = formPaths(fields)
  return reworded(refused, { issues: refused.issues.map((issue) => ({ ...issue, path: pathInForm(paths, issue.path) })) })
}

/** The field that an issue is about: at its path, around it, or the first within it. */
const fieldAt = (path: string, fields: ReadonlyArray<ShownField>): ShownField | null =>
  path === "" ? null : fields.find(({ name }) => name === path) ?? fields.find(({ name }) => path.startsWith(`${name}.`)) ??
    fields.find(({ name }) => name.startsWith(`${path}.`)) ?? null

/** A problem of no single field may name one in its message. */
const issuesOf = ({ code, issues, message }: Refused, fields: ReadonlyArray<ShownField>): ReadonlyArray<Issue> => {
  if (issues.length > 0 || code !== "validation_failed") return issues
  const named = fields.find(({ name }) => namesField(message, name))
  const path = named?.name ?? /^([a-z][\w.]*): /.exec(message)?.[1] ?? ""
  return path === "" ? [] : [{ path, message: message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message }]
}

/** All problems of the form, in the order of its fields; those without a field come last. */
export const problemsOf = (refused: Refused, fields: ReadonlyArray<ShownField>): ReadonlyArray<Problem> => {
  const labels = fields.map(({ label, name }) => [name, label] as const)
  const problems = issuesOf(refused, fields).map(({ message, path }): Problem => {
    const field = fieldAt(path, fields)
    return { field, text: field === null ? plainWords(path, message, labels) : fieldWords(message, labels, field.unit) }
  })
  // A failed decoding hides missing fields that only the kind requires.
  const missing = refused.code !== "validation_failed" ? [] : fields
    .filter(({ isEmpty, name, required }) => required && isEmpty && !problems.some(({ field }) => field?.name === name))
    .map((field): Problem => ({ field, text: fieldWords("Required", labels) }))
  const placed = [...problems, ...missing].filter(({ field }) => field !== null)
  const order = (problem: Problem) => fields.findIndex(({ name }) => name === problem.field?.name)
  return [...placed.sort((a, b) => order(a) - order(b)), ...problems.filter(({ field }) => field === null)]
}
