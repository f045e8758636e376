/**
 * Runs an operation for the rows that were checked in a table: `POST /app/do-all/<operation>`. The operation takes the ids of all
 * of them, so that all change or none. The address says what to do with them, so that a form can have several buttons.
 */
import { Effect, Either, Option, Schema } from "effect"
import { counted } from "../../domain/tools/text/Counted.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import type { PersonInWorkspaces } from "../../operations/access/Authenticate.ts"
import { requireSameOrigin } from "../Forms.ts"
import { type BulkRow, byFormer, type Former, type Given, restoreOf, rowsOf } from "./BulkRow.ts"
import type { DashboardApi } from "./DashboardApi.ts"
import { formBody } from "./FormBody.ts"
import { leadingTo } from "./NoticeCookie.ts"
import { nextView, requireWorkspace } from "./OtherWorkspace.ts"
import { readVisit } from "./ReadVisit.ts"
import { Refused, reworded } from "./Refused.ts"
import { InDashboard, postedForm, postedOperation, type ShowAgain, typedOf } from "./ShowAgain.ts"
import { type Notice, submission, Visit } from "./Visit.ts"

const mostRows = 200

const Own = Schema.Struct({
  _form: Schema.String,
  _back: InDashboard,
  _then: InDashboard,
  /** `{count:monitor}` says how many monitors it was. */
  _said: Schema.String,
  /** The view that confirms: it shows the rows and has the final form. */
  _confirm: Schema.optional(InDashboard),
  /** The fields of the form that the operation takes, separated by commas. */
  _take: Schema.optional(Schema.String),
  /** The fields that each row gets back as it had them, separated by commas: one call for all rows with the same values. */
  _own: Schema.optional(Schema.String),
  /** The argument that takes the values, such as `add`; otherwise they are arguments themselves. */
  _in: Schema.optional(Schema.String),
  /** The argument that takes the ids of all rows. */
  _ids: Schema.optionalWith(Schema.String, { default: () => "ids" }),
  /** The operation that takes such a call back, by the answer's id. */
  _undo: Schema.optional(Schema.String),
  _key: Schema.optional(Schema.String)
})

const refusal = (operation: string, message: string, issues: Refused["issues"] = []) =>
  new Refused({ operation, status: 422, code: "validation_failed", message, hint: null, issues, retryAfterSec: null })

const problemOf = (operation: string, rows: ReadonlyArray<BulkRow>, taken: ReadonlyArray<readonly [string, string]>) =>
  rows.length === 0
    ? refusal(operation, "Select at least one row")
    : rows.length > mostRows
    ? refusal(operation, `Select at most ${mostRows} rows at a time`)
    : taken.some(([, value]) => value.trim() === "")
    ? refusal(
      operation,
      "Fill in the value first",
      taken.map(([name]) => ({ path: name.split(":")[0] ?? name, message: "Fill in the value first" }))
    )
    : null

const listed = (names: string | undefined): ReadonlyArray<string> => (names ?? "").split(",").filter((name) => name !== "")

const decodeChanged = Schema.decodeUnknownOption(
  Schema.Struct({ changed: Schema.Array(Schema.Struct({ id: Schema.String })) })
)

/** The rows that an answer says differ now; all of them if it says nothing about that. */
const changedRows = (answer: unknown, rows: ReadonlyArray<BulkRow>): ReadonlyArray<BulkRow> =>
  Option.match(decodeChanged(answer), {
    onNone: () => rows,
    onSome: ({ changed }) => rows.filter((row) => changed.some(({ id }) => id === row.id))
  })

/** `3 monitors paused` for `{count:monitor} paused`; and how many stayed, because they were so before. */
const saidOf = (template: string, changed: number, all: number): string => {
  const said = template.replace(/\{count:(\w+)\}/, (_, noun: string) => counted(changed, noun))
  return changed === 0
    ? "Nothing to change: already set"
    : changed === all
    ? said
    : `${said}. ${all - changed} of ${all} needed no change.`
}

const decodeId = Schema.decodeUnknownOption(Schema.Struct({ id: Schema.String }))

/** Takes back a call whose answer has an id. */
const undoOf = (operation: string | undefined, answer: unknown): Notice["undo"] =>
  operation === undefined
    ? null
    : Option.getOrNull(Option.map(decodeId(answer), ({ id }) => ({ operation, given: { id } })))

/** The only problem of a call is its message, with the path before it. */
const issuesOf = ({ issues, message }: Refused): Refused["issues"] => {
  const [, path, text] = /^([a-z][\w.]*): ([^]*)$/.exec(message) ?? []
  return issues.length === 0 && path !== undefined && text !== undefined ? [{ path, message: text }] : issues
}

/** The rows that a refusal is about. */
const rowsNamed = (refused: Refused, own: typeof Own.Type, rows: ReadonlyArray<BulkRow>): ReadonlyArray<BulkRow> =>
  rows.filter((_, index) => issuesOf(refused).some(({ path }) => path === `${own._ids}.${index}`))

/** A refusal names rows by their names: `ids.2` says nothing to a person. Fields are those of the form: `set` is not. */
const inForm = (refused: Refused, own: typeof Own.Type, rows: ReadonlyArray<BulkRow>): Refused => {
  const [ids, within] = [`${own._ids}.`, `${own._in ?? ""}.`]
  const issues = issuesOf(refused)
  const named = issues.map(({ message, path }) => {
    const row = path.startsWith(ids) ? rows[Number(path.slice(ids.length))] : undefined
    return row === undefined
      ? { path: path.startsWith(within) ? path.slice(within.length) : path, message }
      : { path: "", message: `${isolated(row.name)}: ${message}` }
  })
  const isOfRows = issues.some(({ path }) => path.startsWith(ids))
  return reworded(refused, isOfRows ? { issues: named, message: "Nothing was changed", hint: null } : { issues: named })
}

interface Done {
  readonly changed: ReadonlyArray<BulkRow>
  readonly answer: unknown
}

/** A call that was refused, with its rows; `left` did not change, and the others did in another call. */
interface Left {
  readonly refused: Refused
  readonly rows: ReadonlyArray<BulkRow>
  readonly left: ReadonlyArray<BulkRow>
}

/**
 * Calls the operation for each group of rows. Groups do not need each other, so each is tried; and of a group whose refusal names rows,
 * the others are tried alone. A single group changes as a whole or not at all.
 */
const makeRun = (api: DashboardApi["Type"]) =>
  Effect.fnUntraced(
    function*(operation: string, own: typeof Own.Type, groups: ReadonlyArray<Former>, givenOf: (group: Former) => Given) {
      const visit = yield* Visit
      const done: Array<Done> = []
      const refused: Array<Left> = []
      const attempt = Effect.fnUntraced(function*(group: Former, suffix: string) {
        const key = own._key === undefined ? {} : { idempotencyKey: `${own._key}${suffix}` }
        const sent = yield* Effect.either(
          Effect.provideService(api.send(operation, givenOf(group)), Visit, { ...visit, caller: { ...visit.caller, ...key } })
        )
        if (Either.isLeft(sent)) return sent.left
        done.push({ changed: changedRows(sent.right, group.rows), answer: sent.right })
        return null
      })
      for (const [index, group] of groups.entries()) {
        const suffix = index === 0 ? "" : `-${index}`
        const refusal = yield* attempt(group, suffix)
        if (refusal === null) continue
        const named = own._own === undefined ? [] : rowsNamed(refusal, own, group.rows)
        const others = named.length === 0 ? [] : group.rows.filter((row) => !named.includes(row))
        const again = others.length === 0 ? refusal : yield* attempt({ ...group, rows: others }, `${suffix}-others`)
        refused.push({ refused: refusal, rows: group.rows, left: again === null ? named : group.rows })
      }
      return { done, refused }
    }
  )

/** Why rows stayed as they were, by their names, and how many did not. */
const refusalOf = (all: ReadonlyArray<Left>, own: typeof Own.Type, rows: number): Refused | null => {
  const [first] = all
  if (first === undefined) return null
  const left = all.reduce((sum, one) => sum + one.left.length, 0)
  const named = inForm(first.refused, own, first.rows)
  if (all.length === 1 && left === rows) return named
  const issues = all.flatMap((one) => {
    const { issues, message } = inForm(one.refused, own, one.rows)
    const names = one.left.map(({ name }) => isolated(name)).join(", ")
    return issues.length > 0 ? issues : [{ path: "", message: `${names}: ${message}` }]
  })
  const message = left === rows ? "Nothing was changed" : `${own._said} for ${rows - left} of ${rows}`
  return reworded(named, { message, issues, hint: null })
}

export const makePostAll = (api: DashboardApi["Type"], again: ShowAgain) => {
  const run = makeRun(api)
  return (visitor: PersonInWorkspaces) =>
    Effect.gen(function*() {
      yield* requireSameOrigin
      const operation = yield* postedOperation
      const { asked, fields, own, url } = yield* postedForm(Own)
      asked.delete("workspace")
      const taken = listed(own._take).flatMap((name) => fields.getAll(name).map((value) => [name, value] as const))
      const rows = rowsOf(fields.getAll("_row"))
      const submitted = submission({ form: own._form, action: url, typed: typedOf(fields) })
      const problem = problemOf(operation.id, rows, taken)
      if (problem !== null) return yield* again(own._back, { ...submitted, refused: problem })
      if (own._confirm !== undefined) return yield* again(own._confirm, submitted)
      const visit = yield* readVisit(visitor, { params: {}, submitted: null, idempotencyKey: null })
      yield* requireWorkspace(visit, operation)
      const given = formBody([...asked, ...taken])
      const groups = byFormer(listed(own._own), rows)
      const { done, refused } = yield* Effect.provideService(
        run(operation.id, own, groups, ({ rows, values }) => ({
          ...(own._in === undefined ? { ...given, ...values } : { [own._in]: { ...given, ...values } }),
          [own._ids]: rows.map(({ id }) => id)
        })),
        Visit,
        visit
      )
      const changed = done.flatMap((one) => one.changed)
      const refusal = refusalOf(refused, own, rows.length)
      if (refusal !== null) return yield* again(own._back, { ...submitted, refused: refusal })
      const notice = {
        said: saidOf(own._said, changed.length, rows.length),
        undo: undoOf(own._undo, done[0]?.answer)
      }
      const restore = own._in === undefined || own._own !== undefined
        ? null
        : restoreOf(operation.id, Object.keys(given), changed)
      // Too much for a cookie, so the view that follows is shown in answer to the form.
      return restore === null
        ? leadingTo(nextView(visit, operation, own._then), notice)
        : yield* again(own._then, null, { ...notice, restore })
    })
}
